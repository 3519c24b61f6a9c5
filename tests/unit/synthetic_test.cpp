#include <gmock/gmock.h>

#include "support/Half.h"
#include "support/Synthetic.h"

using testing::ElementsAre;

TEST(Synthetic, CheckValues) {
  EXPECT_THAT(ds4::syntheticTensor("check", 0, 4, {}),
              ElementsAre(-0.2589592933654785f, -0.7649574279785156f, 0.0776822566986084f, 0.5322508811950684f));
}

TEST(Synthetic, StartsAnywhere) {
  EXPECT_THAT(ds4::syntheticTensor("check", 2, 2, {}), ElementsAre(0.0776822566986084f, 0.5322508811950684f));
}

TEST(Synthetic, AmplitudeAndBase) {
  EXPECT_THAT(ds4::syntheticTensor("check", 0, 1, {.amplitude = 0.25, .base = 1}), ElementsAre(1 - 0.25f * 0.2589592933654785f));
}

TEST(Synthetic, HalfRoundsAfterGeneration) {
  EXPECT_THAT(ds4::syntheticTensor("check", 0, 1, {.half = true}),
              ElementsAre(ds4::halfToFloat(ds4::floatToHalf(-0.2589592933654785f))));
}

TEST(Synthetic, AnotherNameOrSeedGivesOtherValues) {
  auto values = ds4::syntheticTensor("check", 0, 2, {});
  EXPECT_NE(ds4::syntheticTensor("check2", 0, 2, {}), values);
  EXPECT_NE(ds4::syntheticTensor("check", 0, 2, {}, 2), values);
}
