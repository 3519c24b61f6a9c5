#include "runtime/sampling/Sampling.h"

#include <cmath>
#include <limits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/sampling/Uniform.h"
#include "support/Error.h"

using namespace ds4;

static constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
static constexpr float kInf = std::numeric_limits<float>::infinity();

static int32_t greedy(std::vector<float> logits) { return greedyToken(logits); }
static int32_t sample(std::vector<float> logits, float temperature, float topP, float uniform) {
  return sampleToken(logits, temperature, topP, uniform);
}

// Known answers published with the generator (Random123, kat_vectors).
TEST(Philox, GivesThePublishedNumbers) {
  using Four = std::array<uint32_t, 4>;
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}), (Four{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox4x32({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}), (Four{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Four{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Uniform, DependsOnSeedAndPositionAlone) {
  EXPECT_EQ(uniformAt(0, 0), static_cast<float>(0x6627e8) * 0x1p-24f);
  EXPECT_EQ(uniformAt(7, 1234), uniformAt(7, 1234));
  EXPECT_NE(uniformAt(7, 1234), uniformAt(8, 1234));
  EXPECT_NE(uniformAt(7, 1234), uniformAt(7, 1235));
  EXPECT_NE(uniformAt(7, 1), uniformAt(7, 1 + (uint64_t{1} << 32)));
  double sum = 0.0;
  for (uint64_t position = 0; position < 100000; ++position) {
    const float u = uniformAt(3, position);
    ASSERT_TRUE(u >= 0.0f && u < 1.0f);
    sum += u;
  }
  EXPECT_NEAR(sum / 100000, 0.5, 5 * 0.2887 / std::sqrt(100000.0)); // five standard errors
}

TEST(Greedy, TakesTheLowestIdOfTheGreatest) {
  EXPECT_EQ(greedy({1, 3, 2, 3}), 1);
  EXPECT_EQ(greedy({-0.0f, 0.0f}), 0);
  EXPECT_EQ(greedy({-kInf, -5}), 1);
}

TEST(Greedy, NanNeverWins) {
  EXPECT_EQ(greedy({kNan, -1, kNan, 0}), 3);
  EXPECT_EQ(greedy({kNan, -1, kNan}), 1);
}

TEST(Greedy, RefusesLogitsWithoutAFiniteMaximum) {
  EXPECT_THROW(greedy({kNan, kNan}), Error);
  EXPECT_THROW(greedy({-kInf, -kInf, kNan}), Error);
  EXPECT_THROW(greedy({1, kInf}), Error);
  EXPECT_THROW(greedy({}), Error);
  EXPECT_THROW(sample({kNan}, 1, 1, 0), Error);
}

// Probabilities 0.5, 0.25, 0.125, 0.125 at temperature 1.
static const std::vector<float> kHalves{std::log(4.0f), std::log(2.0f), 0.0f, 0.0f};

TEST(Sample, InvertsTheCumulativeDistributionInIdOrder) {
  EXPECT_EQ(sample(kHalves, 1, 1, 0.0f), 0);
  EXPECT_EQ(sample(kHalves, 1, 1, 0.49f), 0);
  EXPECT_EQ(sample(kHalves, 1, 1, 0.51f), 1);
  EXPECT_EQ(sample(kHalves, 1, 1, 0.80f), 2);
  EXPECT_EQ(sample(kHalves, 1, 1, 0.88f), 3);
  EXPECT_EQ(sample(kHalves, 1, 1, 0x1.fffffep-1f), 3);
  EXPECT_EQ(sample({0, 1, 5, kNan, -kInf}, 1, 1, 0x1.fffffep-1f), 2); // never a token of probability zero
}

TEST(Sample, TopPKeepsTheSmallestSetThatReachesIt) {
  EXPECT_EQ(sample(kHalves, 1, 0.45f, 0.99f), 0);
  EXPECT_EQ(sample(kHalves, 1, 0.60f, 0.66f), 0); // set {0, 1}: 0 below two thirds
  EXPECT_EQ(sample(kHalves, 1, 0.60f, 0.67f), 1);
  EXPECT_EQ(sample(kHalves, 1, 0.80f, 0.99f), 2); // of the equal tokens 2 and 3 the lower enters first
  EXPECT_EQ(sample(kHalves, 1, 0.90f, 0.99f), 3);
  EXPECT_EQ(sample({0, 9, 1}, 1, 1e-6f, 0.9f), 1); // at least one token, whatever topP
}

TEST(Sample, TemperatureFlattensAndSharpens) {
  EXPECT_EQ(sample(kHalves, 0.01f, 1, 0.999f), 0);
  EXPECT_EQ(sample(kHalves, 1e6f, 1, 0.26f), 1); // nearly uniform: 0.25 each
  EXPECT_EQ(sample({1000, 999}, 1e-3f, 1, 0.999f), 0); // no overflow
}

TEST(Sample, FollowsTheDistribution) {
  const std::vector<float> logits{0.3f, -1.0f, 2.0f, 0.0f, 1.1f, -0.4f, 0.9f, 1.7f};
  constexpr double temperature = 0.8;
  std::vector<double> expected;
  double total = 0.0;
  for (float logit : logits)
    total += expected.emplace_back(std::exp(logit / temperature));
  constexpr int n = 40000;
  std::vector<int> count(logits.size());
  const SamplingOptions options{.temperature = temperature, .topP = 1.0f, .seed = 42};
  for (int position = 0; position < n; ++position)
    ++count[pickToken(logits, options, position)];
  double chiSquare = 0.0;
  for (size_t i = 0; i < logits.size(); ++i) {
    const double mean = n * expected[i] / total;
    chiSquare += (count[i] - mean) * (count[i] - mean) / mean;
  }
  EXPECT_LT(chiSquare, 24.32); // 7 degrees of freedom, p = 0.001
}

TEST(Sample, TemperatureZeroIsGreedy) {
  EXPECT_EQ(pickToken(kHalves, {}, 0), 0);
  EXPECT_EQ(pickToken(std::vector<float>{0, 1}, {.temperature = 0, .topP = 1, .seed = 9}, 5), 1);
}

TEST(Sample, RefusesOptionsOutOfRange) {
  EXPECT_NO_THROW(checkSamplingOptions({}));
  EXPECT_THROW(checkSamplingOptions({.temperature = -1}), Error);
  EXPECT_THROW(checkSamplingOptions({.temperature = kNan}), Error);
  EXPECT_THROW(checkSamplingOptions({.temperature = kInf}), Error);
  EXPECT_THROW(checkSamplingOptions({.topP = 0}), Error);
  EXPECT_THROW(checkSamplingOptions({.topP = 1.5f}), Error);
}
