#include "models/formats/Format.h"

#include <set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/Error.h"

using namespace ds4;
using testing::ElementsAre;

static std::vector<float> decode(std::string_view name, std::vector<uint8_t> bytes) {
  const Format &format = *findFormatByName(name);
  std::vector<float> out(bytes.size() / format.blockBytes * format.blockWeights);
  format.decode(std::as_bytes(std::span(bytes)), out);
  return out;
}

TEST(Formats, AreFoundByIdNameAndType) {
  std::set<std::string_view> names;
  std::set<uint32_t> types;
  for (const Format *format : formats()) {
    EXPECT_EQ(&formatOf(format->id), format) << format->name;
    EXPECT_EQ(findFormatByName(format->name), format);
    EXPECT_TRUE(names.insert(format->name).second) << format->name;
    if (types.insert(format->ggmlType).second) // the default meaning of a type comes first
      EXPECT_EQ(findFormatByGgmlType(format->ggmlType), format) << format->name;
  }
  EXPECT_EQ(findFormatByGgmlType(107)->name, "rocmfp2");
  EXPECT_EQ(findFormatByGgmlType(9), nullptr);
  EXPECT_EQ(findFormatByName("Q8_0"), nullptr);
  EXPECT_EQ(supportedFormatNames().substr(0, 9), "f32, f16,");
}

TEST(Formats, RowsAreWholeBlocks) {
  const Format &format = formatOf(WeightFormat::Q8_0);
  EXPECT_EQ(format.rowBytes(4096), 128u * 34);
  EXPECT_FALSE(format.holdsRow(4095));
  std::vector<std::byte> block(33);
  std::vector<float> out(32);
  EXPECT_THROW(format.decode(block, out), Error);
}

TEST(Formats, ScalarsAreTheirOwnValues) {
  EXPECT_THAT(decode("f32", {0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0}), ElementsAre(1.0f, -2.0f));
  EXPECT_THAT(decode("f16", {0, 0x3c, 1, 0x80}), ElementsAre(1.0f, -0x1p-24f));
  EXPECT_THAT(decode("bf16", {0x40, 0xc0}), ElementsAre(-3.0f));
  EXPECT_THAT(decode("i32", {0xfe, 0xff, 0xff, 0xff}), ElementsAre(-2.0f));
}

TEST(Formats, Q8_0IsScaleTimesByte) {
  std::vector<uint8_t> block{0, 0x38}; // 0.5
  for (int i = 0; i < 32; ++i)
    block.push_back(static_cast<uint8_t>(i * 8 - 128));
  const std::vector<float> weights = decode("q8_0", block);
  for (int i = 0; i < 32; ++i)
    EXPECT_EQ(weights[i], 0.5f * static_cast<float>(i * 8 - 128));
}
