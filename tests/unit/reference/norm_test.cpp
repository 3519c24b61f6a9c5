#include <cmath>

#include <gmock/gmock.h>

#include "ir/reference/Reference.h"

using namespace ds4::reference;
using testing::DoubleEq;
using testing::ElementsAre;

TEST(RmsNorm, DividesByTheRootMeanSquareAndWeighs) {
  std::vector<float> weight{1, 2};
  Tensor out = rmsNorm(Tensor({2, 2}, {3, 4, 30, 40}), {{2}, weight}, 0);
  double rms = std::sqrt(12.5);
  EXPECT_THAT(out.values, ElementsAre(DoubleEq(3 / rms), DoubleEq(8 / rms), DoubleEq(3 / rms), DoubleEq(8 / rms)));
}

TEST(RmsNorm, EpsilonStandsUnderTheRoot) {
  std::vector<float> weight{1, 1};
  EXPECT_THAT(rmsNorm(Tensor({1, 2}, {1, 1}), {{2}, weight}, 3).values, ElementsAre(0.5, 0.5));
  EXPECT_THAT(rmsNorm(Tensor({1, 2}), {{2}, weight}, 1e-6).values, ElementsAre(0, 0));
}

TEST(HeadNorm, NormsEachHeadOnItsOwn) {
  Tensor out = headNorm(Tensor({1, 2, 2}, {2, 2, -5, 5}), 0);
  EXPECT_THAT(out.shape, ElementsAre(1, 2, 2));
  EXPECT_THAT(out.values, ElementsAre(1, 1, -1, 1));
}
