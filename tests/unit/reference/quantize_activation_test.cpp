#include <gmock/gmock.h>

#include "ir/reference/Reference.h"
#include "support/Error.h"

using namespace ds4::reference;
using testing::DoubleNear;
using testing::ElementsAre;

static std::vector<double> roundTrip(std::vector<double> values, Scheme scheme, int64_t block) {
  int64_t size = static_cast<int64_t>(values.size());
  return quantizeActivation(Tensor({1, size}, std::move(values)), scheme, block).values;
}

// Scale 1: e4m3 has steps of 32 below 448, 2 in [16, 32), 2^-9 below 2^-6.
TEST(QuantizeActivation, Fp8RoundsToNearestTiesToEven) {
  EXPECT_THAT(roundTrip({448, 17, 19, -19, 433, 431}, Scheme::Fp8, 6), ElementsAre(448, 16, 20, -20, 448, 416));
  EXPECT_THAT(roundTrip({448, 0x1p-9, 0x1p-10, 3 * 0x1p-10}, Scheme::Fp8, 4), ElementsAre(448, 0x1p-9, 0, 0x1p-8));
}

TEST(QuantizeActivation, Fp8ScaleIsTheLeastPowerOfTwoThatHoldsTheGroup) {
  EXPECT_THAT(roundTrip({449, 1}, Scheme::Fp8, 2), ElementsAre(448, 1)); // scale 2, step 32 of 224.5
  EXPECT_THAT(roundTrip({448, 1.0625, 224, 1.0625}, Scheme::Fp8, 2), ElementsAre(448, 1, 224, 1));
}

TEST(QuantizeActivation, EachGroupHasItsScale) {
  EXPECT_THAT(roundTrip({448, 0, 7, 0.015625 + 0x1p-11}, Scheme::Fp8, 2), ElementsAre(448, 0, 7, 0.015625));
}

TEST(QuantizeActivation, Fp4TiesGoToTheEvenCode) {
  EXPECT_THAT(roundTrip({6, 0.25, 0.75, 1.25, 1.75, 2.5, 3.5, -5}, Scheme::Fp4, 8), ElementsAre(6, 0, 1, 1, 2, 2, 4, -4));
}

TEST(QuantizeActivation, Int8StepsByAHundredAndTwentySeventhOfTheGreatest) {
  EXPECT_THAT(roundTrip({127, 1.4, -2.6, 0}, Scheme::Int8, 4), ElementsAre(127, 1, -3, 0));
  EXPECT_THAT(roundTrip({-0.5, 0.1}, Scheme::Int8, 2), ElementsAre(DoubleNear(-0.5, 1e-7), DoubleNear(25 * 0.5 / 127, 1e-8)));
}

TEST(QuantizeActivation, ZerosStayZero) {
  for (Scheme scheme : {Scheme::Fp8, Scheme::Fp4, Scheme::Int8})
    EXPECT_THAT(roundTrip({0, 0}, scheme, 2), ElementsAre(0, 0));
}

TEST(QuantizeActivation, RefusesAPartialGroup) { EXPECT_THROW(roundTrip({1, 2, 3}, Scheme::Fp8, 2), ds4::Error); }
