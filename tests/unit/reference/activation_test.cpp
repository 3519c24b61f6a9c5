#include <cmath>

#include <gmock/gmock.h>

#include "ir/reference/Reference.h"

using namespace ds4::reference;
using testing::DoubleEq;
using testing::ElementsAre;

static double silu(double x) { return x / (1 + std::exp(-x)); }

TEST(Swiglu, IsSiluOfTheGateTimesUp) {
  EXPECT_THAT(swiglu(Tensor({1, 2}, {2, -3}), Tensor({1, 2}, {5, 7}), 10).values,
              ElementsAre(DoubleEq(5 * silu(2)), DoubleEq(7 * silu(-3))));
}

TEST(Swiglu, ClampsTheGateAboveAndUpOnBothSides) {
  EXPECT_THAT(swiglu(Tensor({1, 3}, {20, 1, -20}), Tensor({1, 3}, {1, -30, 30}), 10).values,
              ElementsAre(DoubleEq(silu(10)), DoubleEq(-10 * silu(1)), DoubleEq(10 * silu(-20))));
}
