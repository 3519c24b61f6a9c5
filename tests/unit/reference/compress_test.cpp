#include <cmath>
#include <numbers>

#include <gmock/gmock.h>

#include "ir/reference/Reference.h"

using namespace ds4::reference;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::Pointwise;

namespace {

const std::vector<float> kNorm{1, 1};

// The RMS norm of a pair.
std::vector<double> normed(double a, double b) {
  double rms = std::sqrt((a * a + b * b) / 2);
  return {a / rms, b / rms};
}

// Windows of 2 tokens, rows of width 2, without rotation unless told.
struct Compressor {
  Compressor(int64_t width, std::vector<float> positionBias)
      : open(8, 2 * width, Element::F32), rows(4, 2, Element::F32), ape(std::move(positionBias)) {}

  void run(std::vector<double> kv, std::vector<double> gate, int64_t pos, std::vector<float> frequencies = {}) {
    int64_t width = open.columns() / 2, tokens = static_cast<int64_t>(kv.size()) / width;
    compress(open, rows, Tensor({tokens, width}, kv), Tensor({tokens, width}, gate), {{2, width}, ape}, {{2}, kNorm}, pos, 2, 0,
             frequencies);
  }

  State open, rows;
  std::vector<float> ape;
};

const double kLog3 = std::log(3.0);

} // namespace

TEST(Compress, WeighsEachChannelByTheSoftmaxOfItsGates) {
  Compressor plain(2, {0, 0, 0, 0});
  plain.run({4, 8, 8, 0}, {0, kLog3, kLog3, 0}, 0); // weights 1/4 3/4 and 3/4 1/4
  EXPECT_THAT(plain.rows.row(0), Pointwise(DoubleNear(1e-6), normed(7, 6)));
}

TEST(Compress, StoresAGateWithThePositionBiasOfItsPlaceInTheWindow) {
  Compressor biased(2, {0, static_cast<float>(kLog3), static_cast<float>(kLog3), 0});
  biased.run({4, 8, 8, 0}, {0, 0, 0, 0}, 0);
  EXPECT_THAT(biased.rows.row(0), Pointwise(DoubleNear(1e-6), normed(7, 6)));
  EXPECT_THAT(biased.open.row(1), ElementsAre(8, 0, static_cast<float>(kLog3), 0));
}

TEST(Compress, AnOpenWindowGivesNoRow) {
  Compressor plain(2, {0, 0, 0, 0});
  plain.run({4, 8}, {0, 0}, 0);
  EXPECT_THAT(plain.rows.row(0), ElementsAre(0, 0));
  plain.run({8, 0}, {0, 0}, 1);
  EXPECT_THAT(plain.rows.row(0), Pointwise(DoubleNear(1e-6), normed(6, 4)));
}

TEST(Compress, OverlapTakesTheFirstHalfOfTheWindowBefore) {
  Compressor overlapping(4, std::vector<float>(8, 0));
  std::vector<double> kv{1, 2, 30, 40, 3, 4, 50, 60}, gate(8, 0);
  overlapping.run(kv, gate, 0);
  EXPECT_THAT(overlapping.rows.row(0), Pointwise(DoubleNear(1e-6), normed(40, 50)));
  overlapping.run({0, 0, 5, 6, 0, 0, 7, 8}, gate, 2);
  EXPECT_THAT(overlapping.rows.row(1), Pointwise(DoubleNear(1e-6), normed(16. / 4, 20. / 4)));
}

TEST(Compress, OneStepAndManyGiveTheSameRows) {
  Compressor once(4, {1, 2, 3, 4, 5, 6, 7, 8}), stepwise = once;
  std::vector<double> kv, gate;
  for (int i = 0; i < 32; ++i) {
    kv.push_back(i * 7 % 11);
    gate.push_back(i * 5 % 3);
  }
  once.run(kv, gate, 0);
  for (int t = 0; t < 8; ++t)
    stepwise.run({kv.begin() + 4 * t, kv.begin() + 4 * t + 4}, {gate.begin() + 4 * t, gate.begin() + 4 * t + 4}, t);
  for (int row = 0; row < 4; ++row)
    EXPECT_THAT(once.rows.row(row), Pointwise(testing::DoubleEq(), stepwise.rows.row(row)));
}

TEST(Compress, RotatesByTheFirstPositionOfTheWindow) {
  Compressor plain(2, {0, 0, 0, 0});
  std::vector<float> eighth{static_cast<float>(std::numbers::pi / 4)}; // window 1 starts at position 2: a quarter turn
  plain.run({1, 0, 1, 0, 1, 0, 1, 0}, std::vector<double>(8, 0), 0, eighth);
  EXPECT_THAT(plain.rows.row(0), Pointwise(DoubleNear(1e-6), normed(1, 0)));
  EXPECT_THAT(plain.rows.row(1), Pointwise(DoubleNear(1e-6), {0.0, std::sqrt(2)}));
}
