// The formats of ggml: golden blocks from an independent implementation, and the facts that a golden block cannot show.
#include <cstring>
#include <fstream>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "FormatTools.h"
#include "models/formats/IqGrids.h"
#include "support/Half.h"

using namespace ds4;
using testing::Each;

namespace {

const Format &named(std::string_view name) { return *findFormatByName(name); }

nlohmann::json goldens(const char *kind) {
  std::ifstream stream(DS4C_SOURCE_DIR "/tests/goldens/formats/ggml_blocks.json");
  return nlohmann::json::parse(stream).at(kind);
}

std::vector<float> floatsFromHex(std::string_view hex) {
  const std::vector<std::byte> bytes = bytesFromHex(hex);
  std::vector<float> values(bytes.size() / 4);
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

} // namespace

TEST(GgmlFormats, DecodeTheGoldenBlocksBitForBit) {
  const nlohmann::json cases = goldens("decode");
  EXPECT_EQ(cases.size(), 11u);
  for (const nlohmann::json &golden : cases) {
    const auto name = golden.at("format").get<std::string>();
    const std::vector<float> expected = floatsFromHex(golden.at("weights").get<std::string>());
    const std::vector<float> weights = decodeAll(named(name), bytesFromHex(golden.at("blocks").get<std::string>()));
    ASSERT_EQ(weights.size(), expected.size()) << name;
    for (size_t i = 0; i < weights.size(); ++i)
      ASSERT_EQ(weights[i], expected[i]) << name << " weight " << i;
  }
}

TEST(GgmlFormats, EncodeTheGoldenRows) {
  const nlohmann::json cases = goldens("encode");
  EXPECT_EQ(cases.size(), 3u);
  for (const nlohmann::json &golden : cases) {
    const auto name = golden.at("format").get<std::string>();
    const std::vector<float> row = floatsFromHex(golden.at("row").get<std::string>());
    EXPECT_EQ(hexOf(encodeAll(named(name), row)), golden.at("blocks").get<std::string>()) << name;
  }
}

TEST(GgmlFormats, HaveTheirSizes) {
  const std::tuple<const char *, uint32_t, uint32_t, uint32_t> sizes[] = {
      {"q4_0", 2, 32, 18},      {"q8_0", 8, 32, 34},    {"q2_k", 10, 256, 84},  {"q3_k", 11, 256, 110},
      {"q4_k", 12, 256, 144},   {"q5_k", 13, 256, 176}, {"q6_k", 14, 256, 210}, {"iq2_xxs", 16, 256, 66},
      {"iq3_xxs", 18, 256, 98}, {"iq4_xs", 23, 256, 136}, {"mxfp4", 39, 32, 17},
  };
  for (auto [name, type, weights, bytes] : sizes) {
    EXPECT_EQ(named(name).ggmlType, type) << name;
    EXPECT_EQ(named(name).blockWeights, weights) << name;
    EXPECT_EQ(named(name).blockBytes, bytes) << name;
  }
}

TEST(GgmlFormats, ScalarsEncodeToNearestEven) {
  const std::vector<float> row{1.0f, -0x1.002p0f, 1e-8f, 70000.0f};
  const std::vector<float> half = decodeAll(named("f16"), encodeAll(named("f16"), row));
  EXPECT_EQ(half, (std::vector<float>{1.0f, -1.0f, 0.0f, std::numeric_limits<float>::infinity()}));
  EXPECT_EQ(decodeAll(named("f32"), encodeAll(named("f32"), row)), row);
  EXPECT_EQ(decodeAll(named("bf16"), encodeAll(named("bf16"), row))[1], -1.0f);
}

TEST(GgmlFormats, NonFiniteWeightsCountAsZero) {
  for (const char *name : {"q8_0", "q4_0", "mxfp4"}) {
    std::vector<float> row = gaussian(32, 5), expected = row;
    row[0] = std::numeric_limits<float>::infinity(), expected[0] = 0;
    row[31] = std::numeric_limits<float>::quiet_NaN(), expected[31] = 0;
    EXPECT_EQ(encodeAll(named(name), row), encodeAll(named(name), expected)) << name;
    EXPECT_THAT(decodeAll(named(name), encodeAll(named(name), std::vector<float>(64))), Each(0.0f)) << name;
  }
}

TEST(GgmlFormats, Mxfp4SaturatesAndRefusesNan) {
  std::vector<float> row(32);
  row[0] = 7.9f, row[1] = -2.5f, row[2] = 2.5f, row[3] = 0.25f; // 7.9 lies in the octave of 4 and 6; ties to the smaller
  const std::vector<float> weights = decodeAll(named("mxfp4"), encodeAll(named("mxfp4"), row));
  EXPECT_EQ(weights[0], 6.0f);
  EXPECT_EQ(weights[1], -2.0f);
  EXPECT_EQ(weights[2], 2.0f);
  EXPECT_EQ(weights[3], 0.0f);
  std::vector<std::byte> blocks(34);
  blocks[17] = std::byte{255};
  EXPECT_EQ(named("mxfp4").findInvalidBlock(blocks), 1u);
  blocks[17] = std::byte{254};
  EXPECT_EQ(named("mxfp4").findInvalidBlock(blocks), std::nullopt);
}

// Two properties of the lattices that the grids are drawn from; a mistyped entry breaks one or the other.
TEST(GgmlFormats, GridsAreAscendingAndEven) {
  const auto check = [](const uint16_t *grid, int bits, int codes) {
    for (int i = 0; i < 256; ++i) {
      if (i)
        EXPECT_LT(grid[i - 1], grid[i]) << i;
      int sum = 0;
      for (int shift = 0; shift < 16; shift += bits) {
        const int code = grid[i] >> shift & ((1 << bits) - 1);
        EXPECT_LT(code, codes) << i;
        sum += code;
      }
      EXPECT_EQ(sum % 2, 0) << i;
    }
  };
  check(kIq2Grid, 2, 3);
  check(kIq3Grid, 4, 8);
}

TEST(GgmlFormats, SignsAreEvenInNumber) {
  for (uint32_t bits = 0; bits < 128; ++bits) {
    int negative = 0;
    for (int j = 0; j < 8; ++j) {
      negative += isNegative(bits, j);
      if (j < 7)
        EXPECT_EQ(isNegative(bits | 0xffffff80u, j), (bits >> j & 1) != 0);
    }
    EXPECT_EQ(negative % 2, 0) << bits;
  }
}
