#include <cmath>

#include <gmock/gmock.h>

#include "ir/reference/Reference.h"

using namespace ds4::reference;
using testing::ElementsAre;

TEST(Argmax, LowestIndexOfTheGreatest) { EXPECT_THAT(argmax(Tensor({2, 3}, {1, 5, 5, -3, -2, -9})).values, ElementsAre(1, 1)); }

TEST(Argmax, NanNeverWins) {
  EXPECT_THAT(argmax(Tensor({3, 2}, {NAN, -INFINITY, 2, NAN, NAN, NAN})).values, ElementsAre(1, 0, -1));
}

// Probabilities 0.2, 0.5, 0.3.
static const std::vector<double> kLogits{std::log(2.0), std::log(5.0), std::log(3.0)};

static int sampleAt(double uniform, double temperature = 1, double topP = 1) {
  return static_cast<int>(sample(Tensor({1, 3}, kLogits), temperature, topP, std::vector<double>{uniform}).values[0]);
}

TEST(Sample, InvertsTheDistributionInAscendingOrderOfIds) {
  EXPECT_EQ(sampleAt(0), 0);
  EXPECT_EQ(sampleAt(0.19), 0);
  EXPECT_EQ(sampleAt(0.21), 1);
  EXPECT_EQ(sampleAt(0.69), 1);
  EXPECT_EQ(sampleAt(0.71), 2);
  EXPECT_EQ(sampleAt(0.9999999), 2);
}

TEST(Sample, TopPKeepsTheSmallestSetThatReachesTheMass) {
  EXPECT_EQ(sampleAt(0, 1, 0.75), 1); // tokens 1 and 2 stay: 0.5 / 0.8 and 0.3 / 0.8
  EXPECT_EQ(sampleAt(0.62, 1, 0.75), 1);
  EXPECT_EQ(sampleAt(0.63, 1, 0.75), 2);
  EXPECT_EQ(sampleAt(0.99, 1, 0.1), 1);
}

TEST(Sample, TemperatureSharpens) {
  // At temperature 1/2: 4 : 25 : 9.
  EXPECT_EQ(sampleAt(0.1, 0.5), 0);
  EXPECT_EQ(sampleAt(0.11, 0.5), 1);
  EXPECT_EQ(sampleAt(0.76, 0.5), 1);
  EXPECT_EQ(sampleAt(0.77, 0.5), 2);
}

TEST(Sample, EqualProbabilitiesAreCutByIdAndNanHasNoMass) {
  std::vector<double> uniforms{0.9, 0.9};
  EXPECT_THAT(sample(Tensor({2, 3}, {1, 1, 1, NAN, 0, NAN}), 1, 0.5, uniforms).values, ElementsAre(1, 1));
  EXPECT_THAT(sample(Tensor({1, 2}, {NAN, NAN}), 1, 1, uniforms).values, ElementsAre(-1));
}
