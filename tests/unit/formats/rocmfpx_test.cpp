#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "FormatTools.h"

using namespace ds4;
using testing::Each;
using testing::ElementsAre;

namespace {

const Format &named(std::string_view name) { return *findFormatByName(name); }

std::vector<float> goldenRow() {
  std::vector<float> row;
  for (int i = 0; i < 32; ++i)
    row.push_back(static_cast<float>((37 * i + 17) % 113 - 56) / 64.0f);
  return row;
}

// One format as its definition reads: the levels that a code can mean, what ties go to, weights a scale.
struct Definition {
  const char *name;
  std::vector<int> levels; // in order of preference: of equally near levels the first wins
  int group;
  float greatest;
};

std::vector<int> signedLevels(std::vector<int> magnitudes) {
  std::vector<int> levels;
  for (int magnitude : magnitudes) {
    levels.push_back(magnitude);
    if (magnitude)
      levels.push_back(-magnitude);
  }
  return levels;
}

const std::vector<Definition> kSearched{
    {"rocmfp4", signedLevels({0, 1, 2, 3, 4, 6, 8, 10}), 16, 10},
    {"rocmfp4_fast", signedLevels({0, 1, 2, 3, 4, 6, 8, 10}), 32, 10},
    {"rocmfp3", signedLevels({0, 1, 2, 4}), 16, 4},
    {"rocmfp2", {-1, 0, 1, 2}, 16, 2},
};

float scaleByDefinition(int e) {
  return static_cast<float>(e < 8 ? e * std::pow(2.0, -10) : (8 + e % 8) * std::pow(2.0, e / 8 - 11));
}

// The weights that the reference quantizer must arrive at: every scale from 1 to 126 in ascending order, first minimum wins.
std::vector<float> bestByFullScan(const Definition &definition, std::span<const float> group, std::span<const float> errorWeights) {
  std::vector<float> best;
  float bestError = std::numeric_limits<float>::infinity();
  for (int e = 1; e <= 126; ++e) {
    const float scale = scaleByDefinition(e), inverse = 1.0f / scale;
    std::vector<float> decoded;
    float error = 0.0f;
    for (size_t i = 0; i < group.size(); ++i) {
      int nearest = definition.levels[0];
      for (int level : definition.levels)
        if (std::fabs(group[i] * inverse - level) < std::fabs(group[i] * inverse - nearest))
          nearest = level;
      decoded.push_back(static_cast<float>(nearest) * scale);
      const float difference = group[i] - decoded.back();
      error += (errorWeights.empty() ? 1.0f : errorWeights[i]) * (difference * difference);
    }
    if (error < bestError) {
      bestError = error;
      best = decoded;
    }
  }
  return best;
}

} // namespace

TEST(RocmFpx, EncodesTheGoldenBlocks) {
  const std::pair<const char *, const char *> goldens[] = {
      {"rocmfp4", "ae40f6bf49f6bf49f5bf3a75cf3a75cf2123"},
      {"rocmfp4_fast", "ae40f5be49f5be49f5be3975ce3a74ce23"},
      {"rocmfp2", "244992240982e0383a36"},
      {"rocmfp3", "c70ebd7af5ead5ab576fe6cc2b2d"},
      {"rocmfp6", "7868e522a593135f4abd19f966b39f0c9f2ebdaa786bd2b11517"},
      {"rocmfp8", "a7fb50a2f74b9ef24799ee4295e93e90e5398be03587db3082d72b7fd2277bce07"},
  };
  for (auto [name, hex] : goldens)
    EXPECT_EQ(hexOf(encodeAll(named(name), goldenRow())), hex) << name;
}

TEST(RocmFpx, ScaleBytesAreHalfE4M3) {
  std::vector<std::byte> block(33);
  block[0] = std::byte{1}; // level 1: the weight is the scale
  const auto scaleOf = [&](int e) {
    block[32] = static_cast<std::byte>(e);
    return decodeAll(named("rocmfp8"), block)[0];
  };
  for (int e = 0; e <= 126; ++e)
    EXPECT_EQ(scaleOf(e), scaleByDefinition(e)) << e;
  EXPECT_EQ(scaleOf(56), 0.5f);
  EXPECT_EQ(scaleOf(64), 1.0f);
  EXPECT_EQ(scaleOf(126), 224.0f);
  for (int e = 127; e < 256; ++e)
    EXPECT_EQ(scaleOf(e), 0.0f) << e;
}

TEST(RocmFpx, FindsBlocksWhoseScaleMeansNothing) {
  for (const char *name :
       {"rocmfp4", "rocmfp4_fast", "rocmfp3", "rocmfp2", "rocmfp2_affine", "rocmfp2_s40", "rocmfp6", "rocmfp8"}) {
    const Format &format = named(name);
    std::vector<std::byte> blocks(3 * format.blockBytes);
    EXPECT_EQ(format.findInvalidBlock(blocks), std::nullopt);
    std::fill(blocks.begin(), blocks.begin() + 8, std::byte{0xff}); // payload bytes may be anything
    blocks[2 * format.blockBytes - 1] = std::byte{126};
    EXPECT_EQ(format.findInvalidBlock(blocks), std::nullopt) << name;
    for (int bad : {0x7f, 0x80, 0xff}) {
      blocks[2 * format.blockBytes - 1] = static_cast<std::byte>(bad);
      EXPECT_EQ(format.findInvalidBlock(blocks), 1u) << name;
    }
  }
}

TEST(RocmFpx, EveryCodeHasItsLevel) {
  std::vector<std::byte> block(18);
  for (int i = 0; i < 16; ++i)
    block[i] = static_cast<std::byte>(i | (15 - i) << 4);
  block[16] = std::byte{64}, block[17] = std::byte{72}; // scales 1 and 2
  EXPECT_THAT(decodeAll(named("rocmfp4"), block), ElementsAre(0, 1, 2, 3, 4, 6, 8, 10, 0, -1, -2, -3, -4, -6, -8, -10, //
                                                              -20, -16, -12, -8, -6, -4, -2, 0, 20, 16, 12, 8, 6, 4, 2, 0));
  // 3-bit codes 0..7 in 24 bits, lowest first: 0xfac688.
  EXPECT_THAT(decodeAll(named("rocmfp3"), bytesFromHex("88c6fa 88c6fa 88c6fa 88c6fa 40 48")),
              ElementsAre(0, 1, 2, 4, 0, -1, -2, -4, 0, 1, 2, 4, 0, -1, -2, -4, //
                          0, 2, 4, 8, 0, -2, -4, -8, 0, 2, 4, 8, 0, -2, -4, -8));
  // 2-bit codes 0, 1, 2, 3: 0xe4.
  const auto twoBits = [](const char *name, const char *scales) {
    std::vector<float> weights = decodeAll(named(name), bytesFromHex(std::string("e4e4e4e4e4e4e4e4") + scales));
    return std::vector<float>{weights[0], weights[1], weights[2], weights[3], weights[16], weights[17], weights[18], weights[19]};
  };
  EXPECT_THAT(twoBits("rocmfp2", "4048"), ElementsAre(-1, 0, 1, 2, -2, 0, 2, 4));
  EXPECT_THAT(twoBits("rocmfp2_s40", "4048"), ElementsAre(-4, -1, 1, 4, -8, -2, 2, 8));
  EXPECT_THAT(twoBits("rocmfp2_affine", "4840"), ElementsAre(-1, 1, 3, 5, -1, 1, 3, 5));
  // 6-bit codes 1, 31, 32, 63: sign and magnitude, code 32 is zero.
  std::vector<std::byte> six(26);
  const uint32_t bits = 1 | 31 << 6 | 32 << 12 | 63 << 18;
  for (int i = 0; i < 3; ++i)
    six[i] = static_cast<std::byte>(bits >> (8 * i));
  six[24] = six[25] = std::byte{64};
  const std::vector<float> weights = decodeAll(named("rocmfp6"), six);
  EXPECT_THAT(std::vector(weights.begin(), weights.begin() + 5), ElementsAre(1, 31, 0, -31, 0));
}

TEST(RocmFpx, SearchEqualsTheFullScan) {
  for (const Definition &definition : kSearched) {
    for (uint32_t seed = 0; seed < 60; ++seed) {
      const float deviation = std::pow(10.0f, static_cast<float>(seed % 9) - 5.0f); // from denormal scales to saturation
      std::vector<float> row = gaussian(32, seed, deviation);
      if (seed % 4 == 0)
        for (float &x : row)
          x = std::round(x * 4 / deviation) * deviation / 4; // many exact ties
      const std::vector<float> decoded = decodeAll(named(definition.name), encodeAll(named(definition.name), row));
      for (int first = 0; first < 32; first += definition.group) {
        const std::vector<float> expected = bestByFullScan(definition, std::span(row).subspan(first, definition.group), {});
        ASSERT_EQ(std::vector(decoded.begin() + first, decoded.begin() + first + definition.group), expected)
            << definition.name << " seed " << seed;
      }
    }
  }
}

TEST(RocmFpx, WeightedSearchEqualsTheFullScan) {
  for (const Definition &definition : kSearched) {
    for (uint32_t seed = 0; seed < 30; ++seed) {
      const std::vector<float> row = gaussian(64, seed, 0.1f);
      std::vector<float> importance = gaussian(64, seed + 1000);
      importance[3] = std::numeric_limits<float>::quiet_NaN(); // counts as 0, as the negative ones do
      float meanSquare = 0.0f;
      for (float x : row)
        meanSquare += x * x;
      meanSquare /= 64;
      std::vector<float> errorWeights(64);
      for (int i = 0; i < 64; ++i)
        errorWeights[i] = importance[i] > 0 ? importance[i] * std::sqrt(meanSquare + row[i] * row[i]) : 0.0f;
      const std::vector<float> decoded = decodeAll(named(definition.name), encodeAll(named(definition.name), row, importance));
      for (int first = 0; first < 64; first += definition.group) {
        const std::vector<float> expected = bestByFullScan(definition, std::span(row).subspan(first, definition.group),
                                                           std::span(errorWeights).subspan(first, definition.group));
        ASSERT_EQ(std::vector(decoded.begin() + first, decoded.begin() + first + definition.group), expected)
            << definition.name << " seed " << seed;
      }
    }
  }
}

TEST(RocmFpx, ZerosAndNonFiniteWeightsBecomeZero) {
  std::vector<float> zeros(32), mixed = goldenRow(), expected = goldenRow();
  mixed[5] = std::numeric_limits<float>::quiet_NaN(), expected[5] = 0;
  mixed[20] = -std::numeric_limits<float>::infinity(), expected[20] = 0;
  for (const char *name : {"rocmfp4", "rocmfp4_fast", "rocmfp3", "rocmfp2", "rocmfp6", "rocmfp8"}) {
    EXPECT_THAT(decodeAll(named(name), encodeAll(named(name), zeros)), Each(0.0f)) << name;
    EXPECT_EQ(encodeAll(named(name), mixed), encodeAll(named(name), expected)) << name;
    const std::vector<float> decoded = decodeAll(named(name), encodeAll(named(name), mixed));
    EXPECT_EQ(decoded[5], 0.0f) << name;
    EXPECT_EQ(decoded[20], 0.0f) << name;
  }
  EXPECT_EQ(hexOf(encodeAll(named("rocmfp2"), zeros)), "55555555555555550000"); // level 0 is code 1
}

TEST(RocmFpx, ErrorsFallWithWidth) {
  const std::vector<float> row = gaussian(32 * 512, 1, 0.02f);
  double previous = 0.0;
  for (const char *name : {"rocmfp8", "rocmfp6", "rocmfp4", "rocmfp3", "rocmfp2"}) {
    const double error = squaredError(row, decodeAll(named(name), encodeAll(named(name), row)));
    EXPECT_GT(error, previous) << name;
    previous = error;
  }
  const auto errorOf = [&](const char *name) { return squaredError(row, decodeAll(named(name), encodeAll(named(name), row))); };
  EXPECT_GT(errorOf("rocmfp4_fast"), errorOf("rocmfp4")); // half the scales
}
