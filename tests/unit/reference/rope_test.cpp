#include <cmath>
#include <numbers>

#include <gmock/gmock.h>

#include "ir/reference/Reference.h"
#include "support/RopeTable.h"

using namespace ds4::reference;
using testing::DoubleNear;
using testing::ElementsAre;

static const std::vector<float> kQuarterTurn{static_cast<float>(std::numbers::pi / 2)};

TEST(Rope, TurnsTheLastChannelsInInterleavedPairs) {
  std::vector<float> frequencies{static_cast<float>(std::numbers::pi / 2), 0};
  Tensor out = rope(Tensor({1, 6}, {7, 8, 1, 2, 3, 4}), 1, frequencies, false);
  EXPECT_THAT(out.values, ElementsAre(7, 8, DoubleNear(-2, 1e-6), DoubleNear(1, 1e-6), 3, 4));
}

TEST(Rope, EachTokenHasItsPositionAndAllItsHeadsShareIt) {
  Tensor out = rope(Tensor({2, 2, 2}, {1, 0, 2, 0, 1, 0, 2, 0}), 1, kQuarterTurn, false);
  EXPECT_THAT(out.values, ElementsAre(DoubleNear(0, 1e-6), DoubleNear(1, 1e-6), DoubleNear(0, 1e-6), DoubleNear(2, 1e-6),
                                      DoubleNear(-1, 1e-6), DoubleNear(0, 1e-6), DoubleNear(-2, 1e-6), DoubleNear(0, 1e-6)));
}

TEST(Rope, InverseUndoesIt) {
  std::vector<float> frequencies{1, 0.25f};
  Tensor x({1, 4}, {1, 2, 3, 4});
  Tensor back = rope(rope(x, 1000, frequencies, false), 1000, frequencies, true);
  EXPECT_THAT(back.values, ElementsAre(DoubleNear(1, 1e-12), DoubleNear(2, 1e-12), DoubleNear(3, 1e-12), DoubleNear(4, 1e-12)));
}

TEST(Rope, RoundsTheAngleToSinglePrecision) {
  std::vector<float> frequencies{0.1f};
  Tensor out = rope(Tensor({1, 2}, {1, 0}), 100003, frequencies, false);
  float angle = 100003.0f * 0.1f;
  ASSERT_NE(static_cast<double>(angle), 100003.0 * static_cast<double>(0.1f));
  EXPECT_THAT(out.values, ElementsAre(std::cos(static_cast<double>(angle)), std::sin(static_cast<double>(angle))));
}

// The model description, section 5, lists these.
TEST(RopeTable, YarnValuesOfTheModel) {
  std::vector<float> f = ds4::ropeFrequencies({.dims = 64, .base = 160000, .factor = 16, .originalContext = 65536});
  ASSERT_EQ(f.size(), 32u);
  EXPECT_FLOAT_EQ(f[0], 1);
  EXPECT_FLOAT_EQ(f[1], .687656022);
  EXPECT_FLOAT_EQ(f[15], .00363553858);
  EXPECT_FLOAT_EQ(f[16], .002265625);
  EXPECT_FLOAT_EQ(f[20], .000296977778);
  EXPECT_FLOAT_EQ(f[24], 1.953125e-05);
  EXPECT_FLOAT_EQ(f[25], 5.37231267e-06);
  EXPECT_FLOAT_EQ(f[31], 5.68052904e-07);
}

TEST(RopeTable, PlainWithoutAFactor) { EXPECT_THAT(ds4::ropeFrequencies({.dims = 4, .base = 10000}), ElementsAre(1, 0.01f)); }
