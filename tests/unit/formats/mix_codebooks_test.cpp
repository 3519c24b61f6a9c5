#include "models/formats/MixCodebooks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "FormatTools.h"
#include "support/Error.h"
#include "support/Half.h"

using namespace ds4;
using testing::HasSubstr;

namespace {

// Writes tables as their description reads.
class Table {
public:
  explicit Table(std::string_view magic) {
    for (size_t i = 0; i < 8; ++i)
      bytes_.push_back(static_cast<std::byte>(i < magic.size() ? magic[i] : 0));
  }
  Table &words(std::initializer_list<uint32_t> words) {
    for (uint32_t word : words)
      for (int shift = 0; shift < 32; shift += 8)
        bytes_.push_back(static_cast<std::byte>(word >> shift));
    return *this;
  }
  Table &bytes(std::initializer_list<int> bytes) {
    for (int byte : bytes)
      bytes_.push_back(static_cast<std::byte>(byte));
    return *this;
  }
  // Entry i is first + i.
  Table &levels(int count, float first) {
    for (int i = 0; i < count; ++i) {
      const uint16_t bits = floatToBfloat16(first + static_cast<float>(i));
      bytes({bits & 255, bits >> 8});
    }
    return *this;
  }
  std::vector<std::byte> bytes_;
};

Table downExperts() { // one layer, two experts, the second adaptive
  return Table("P4MIXv1").words({1, 0}).words({7, 2, 16, 64, 2, 8}).bytes({0, 1}).bytes({0, 0}).levels(16, 1).levels(16, -8);
}

void expectRefused(const Table &table, const char *message) {
  MixCodebooks codebooks;
  try {
    codebooks.add(table.bytes_, "model.p4mix.bin");
    FAIL() << "accepted";
  } catch (const Error &error) {
    EXPECT_EQ(error.code(), ExitCode::User);
    EXPECT_THAT(error.what(), HasSubstr(message));
    EXPECT_THAT(error.what(), HasSubstr("model.p4mix.bin"));
  }
}

} // namespace

TEST(MixCodebooks, ReadsDownExperts) {
  MixCodebooks codebooks;
  codebooks.add(downExperts().bytes_, "t");
  const MixEntry *entry = codebooks.find(7, MixTensor::DownExperts);
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(codebooks.find(6, MixTensor::DownExperts), nullptr);
  EXPECT_EQ(codebooks.find(7, MixTensor::UpExperts), nullptr);
  EXPECT_EQ(entry->format, WeightFormat::RocmFp3Mix);
  EXPECT_EQ(entry->rows, 16u);
  EXPECT_EQ(entry->cols, 64u);
  ASSERT_EQ(entry->slices.size(), 2u);
  EXPECT_FALSE(entry->slices[0].adaptive);
  EXPECT_TRUE(entry->slices[1].adaptive);
  EXPECT_EQ(entry->slices[1].codebooks[0][0], -8.0f);
  EXPECT_EQ(entry->slices[1].codebooks[1][7], 7.0f);
}

TEST(MixCodebooks, ReadsGateUpAndDense) {
  MixCodebooks codebooks;
  codebooks.add(Table("GUMIXs1")
                    .words({2, 0})
                    .words({3, 0, 1, 16, 128, 2, 4})
                    .bytes({1})
                    .levels(8, 0)
                    .words({3, 1, 1, 16, 128, 2, 4})
                    .bytes({0})
                    .levels(8, 10)
                    .bytes_,
                "experts");
  codebooks.add(Table("DMIXs1").words({1, 0}).words({3, 3, 106, 8, 2, 4}).bytes({1, 0, 0, 0}).levels(8, 20).bytes_, "dense");
  EXPECT_EQ(codebooks.size(), 3u);
  EXPECT_EQ(codebooks.find(3, MixTensor::UpExperts)->slices[0].codebooks[1][3], 17.0f);
  const MixEntry *dense = codebooks.find(3, MixTensor::OutputA);
  ASSERT_NE(dense, nullptr);
  EXPECT_EQ(dense->format, WeightFormat::RocmFp2Mix);
  ASSERT_EQ(dense->slices.size(), 8u);
  EXPECT_EQ(dense->slices[7].codebooks[0][2], 22.0f);
}

TEST(MixCodebooks, RefusesDamagedTables) {
  expectRefused(Table("P4MIXv2").words({0, 0}), "not a table of MIX codebooks");
  Table cut = downExperts();
  cut.bytes_.pop_back();
  expectRefused(cut, "entry 0: ends within this entry");
  expectRefused(downExperts().bytes({0}), "belong to no entry");
  expectRefused(Table("P4MIXv1").words({1, 0, 7, 0xffffffff, 16, 64, 2, 8}), "ends within");
  expectRefused(Table("P4MIXv1").words({1, 0, 7, 1, 16, 64, 2, 4}), "2 codebooks of 4 entries, expected 2 of 8");
  expectRefused(Table("P4MIXv1").words({1, 0, 7, 1, 16, 64, 2, 8}).bytes({2, 0}).levels(16, 1), "unknown mode");
  expectRefused(Table("P4MIXv1").words({1, 0, 7, 1, 16, 64, 2, 8}).bytes({1, 1}).levels(16, 1), "rotated");
  expectRefused(Table("P4MIXv1").words({1, 0, 7, 1, 16, 63, 2, 8}).bytes({1, 0}).levels(16, 1), "16 x 63");
  expectRefused(Table("P4MIXv1").words({1, 0, 7, 1, 16, 64, 2, 8}).bytes({1, 0}).bytes({0xc0, 0x7f}).levels(15, 1), "not a finite");
  expectRefused(Table("GUMIXs1").words({1, 0, 7, 3, 1, 16, 128, 2, 4}), "expert matrix 3");
  expectRefused(Table("DMIXs1").words({1, 0, 7, 5, 105, 1, 2, 8}), "tensor class 5");
  expectRefused(Table("DMIXs1").words({1, 0, 7, 0, 107, 1, 2, 8}), "weight type 107");
}

TEST(MixCodebooks, RefusesATensorTwice) {
  MixCodebooks codebooks;
  codebooks.add(downExperts().bytes_, "first");
  EXPECT_THROW(codebooks.add(downExperts().bytes_, "second"), Error);
}

TEST(MixCodebooks, AdaptiveSlicesDecodeThroughTheirCodebooks) {
  MixSlice slice{.adaptive = true};
  for (int i = 0; i < 8; ++i) {
    slice.codebooks[0][i] = static_cast<float>(i) + 0.25f;
    slice.codebooks[1][i] = static_cast<float>(-i) - 0.5f;
  }
  // 3-bit codes 0..7 four times; scales 1 with codebook 0, 2 with codebook 1.
  std::vector<float> out(32);
  decodeMix(formatOf(WeightFormat::RocmFp3Mix), slice, bytesFromHex("88c6fa 88c6fa 88c6fa 88c6fa 40 c8"), out);
  for (int i = 0; i < 32; ++i)
    EXPECT_EQ(out[i], i < 16 ? i % 8 + 0.25f : 2 * (-i % 8 - 0.5f)) << i;
  decodeMix(formatOf(WeightFormat::RocmFp2Mix), slice, bytesFromHex("e4e4e4e4e4e4e4e4 c0 48"), out);
  for (int i = 0; i < 32; ++i)
    EXPECT_EQ(out[i], i < 16 ? -i % 4 - 0.5f : 2 * (i % 4 + 0.25f)) << i;
}

TEST(MixCodebooks, FixedSlicesDecodeAsTheFixedFormat) {
  const std::vector<float> row = gaussian(64, 3);
  for (auto [fixed, mix] : {std::pair("rocmfp3", "rocmfp3_mix"), std::pair("rocmfp2", "rocmfp2_mix")}) {
    const std::vector<std::byte> blocks = encodeAll(*findFormatByName(fixed), row);
    std::vector<float> out(64);
    decodeMix(*findFormatByName(mix), {}, blocks, out);
    EXPECT_EQ(out, decodeAll(*findFormatByName(fixed), blocks));
    EXPECT_EQ(decodeAll(*findFormatByName(mix), blocks), out);
  }
}

TEST(MixCodebooks, TheTopScaleBitIsValidInAdaptiveSlicesAlone) {
  const Format &format = formatOf(WeightFormat::RocmFp2Mix);
  const std::vector<std::byte> top = bytesFromHex("0000000000000000 4040 0000000000000000 40c0");
  EXPECT_EQ(findInvalidMixBlock(format, {.adaptive = true}, top), std::nullopt);
  EXPECT_EQ(findInvalidMixBlock(format, {}, top), 1u);
  const std::vector<std::byte> nan = bytesFromHex("0000000000000000 ff40");
  EXPECT_EQ(findInvalidMixBlock(format, {.adaptive = true}, nan), 0u);
}

// Entry `entry` of a table of a record: its low byte stands in word entry / 4, its high byte two words further.
static uint16_t levelOf(const unsigned int (&table)[4], int entry) {
  const int shift = entry % 4 * 8;
  return static_cast<uint16_t>((table[entry / 4] >> shift & 0xff) | (table[2 + entry / 4] >> shift & 0xff) << 8);
}

TEST(MixCodebooks, DeviceLevelsAreTheCodebooks) {
  MixSlice slice{.adaptive = true};
  for (int i = 0; i < 16; ++i)
    slice.codebooks[i / 8][i % 8] = static_cast<float>(i - 5) * 0x1p40f; // beyond halves
  const MixLevels wide = deviceLevels(formatOf(WeightFormat::RocmFp3Mix), slice);
  const MixLevels narrow = deviceLevels(formatOf(WeightFormat::RocmFp2Mix), slice);
  for (int i = 0; i < 16; ++i) {
    EXPECT_EQ(bfloat16ToFloat(levelOf(wide.single[i / 8], i % 8)), slice.codebooks[i / 8][i % 8]) << i;
    EXPECT_EQ(halfToFloat(levelOf(wide.half[i / 8], i % 8)) * wide.unit, slice.codebooks[i / 8][i % 8]) << i;
  }
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(bfloat16ToFloat(levelOf(narrow.single[0], i)), slice.codebooks[i / 4][i % 4]) << i;
    EXPECT_EQ(halfToFloat(levelOf(narrow.half[0], i)) * narrow.unit, slice.codebooks[i / 4][i % 4]) << i;
  }
}

TEST(MixCodebooks, DeviceLevelsOfFixedSlicesAreTheFormats) {
  const float three[] = {0, 1, 2, 4, 0, -1, -2, -4}, two[] = {-1, 0, 1, 2};
  const MixLevels wide = deviceLevels(formatOf(WeightFormat::RocmFp3Mix), {}),
                  narrow = deviceLevels(formatOf(WeightFormat::RocmFp2Mix), {});
  for (int i = 0; i < 16; ++i)
    EXPECT_EQ(bfloat16ToFloat(levelOf(wide.single[i / 8], i % 8)), three[i % 8]) << i;
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(halfToFloat(levelOf(narrow.half[0], i)) * narrow.unit, two[i % 4]) << i;
}
