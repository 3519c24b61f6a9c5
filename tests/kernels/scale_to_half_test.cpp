#include <cmath>

#include <gtest/gtest.h>

#include "codegen/emitters/Emitters.h"
#include "ir/reference/Reference.h"
#include "support/Half.h"
#include "tests/kernels/KernelRunner.h"

namespace ds4::test {

struct Scaled {
  std::vector<uint16_t> halves;
  std::vector<float> scales;
};
static Scaled scaled(const std::vector<float> &x, int q, int rows = 1) {
  const int width = static_cast<int>(x.size()) / q / rows;
  const auto results = launch(emitKernel(ScaleToHalfShape{rows, width}), makeStep(0, q),
                              {input(x), output(x.size() / 2), output(static_cast<size_t>(q) * static_cast<size_t>(rows))});
  return {results[1].as<uint16_t>(), results[2].as<float>()};
}
static void check(const std::vector<float> &x, int q, int rows = 1) {
  const int width = static_cast<int>(x.size()) / q / rows;
  const reference::ScaledHalves expected = reference::scaleToHalf(tensor({q, rows, width}, x));
  const Scaled actual = scaled(x, q, rows);
  for (size_t i = 0; i < x.size(); ++i)
    ASSERT_EQ(actual.halves[i], floatToHalf(static_cast<float>(expected.halves.values[i]))) << "value " << i << ", " << x[i];
  for (size_t i = 0; i < actual.scales.size(); ++i)
    ASSERT_EQ(actual.scales[i], static_cast<float>(expected.scales.values[i])) << "row " << i;
}

TEST(ScaleToHalf, Widths) {
  for (int width : {8, 96, 256, 1032, 4096, 8192})
    check(normals(static_cast<size_t>(3 * width), 1), 3);
}
TEST(ScaleToHalf, RowsOfAToken) { check(normals(5 * 6 * 2048, 2), 5, 6); }
TEST(ScaleToHalf, RowsHaveScalesOfTheirOwn) {
  std::vector<float> x = normals(4 * 64, 3);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] *= std::pow(10.0f, static_cast<float>(i / 64) * 20 - 30);
  check(x, 2, 2);
}
TEST(ScaleToHalf, ZerosAndTheSmallest) {
  check(std::vector<float>(64, 0), 1);
  check(normals(64, 4, 1e-37), 1);
  check(normals(64, 4, 1e-42), 1);
}
TEST(ScaleToHalf, TheLargestMagnitudeRoundsUpToThePower) { check({1.99999f, -1, 0.5f, 3e-5f, 0, 0, 0, 0}, 1); }
TEST(ScaleToHalf, NanAndInfinityStay) {
  const Scaled of = scaled({1, std::nanf(""), INFINITY, -3, 0, 0, 0, 0}, 1);
  EXPECT_TRUE(std::isnan(halfToFloat(of.halves[1])));
  EXPECT_EQ(halfToFloat(of.halves[2]), INFINITY);
}

} // namespace ds4::test
