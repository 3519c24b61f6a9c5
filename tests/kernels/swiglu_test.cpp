#include <cmath>

#include <gtest/gtest.h>

#include "codegen/emitters/Emitters.h"
#include "ir/reference/Reference.h"
#include "tests/kernels/KernelRunner.h"

namespace ds4::test {

static void check(std::vector<float> gate, std::vector<float> up, int q, float limit = 10) {
  int width = static_cast<int>(gate.size()) / q;
  auto results = launch(emitKernel(SwigluShape{width, limit}), makeStep(0, q), {input(gate), input(up), output(gate.size())});
  // One value a row, so that each is compared at its own magnitude.
  reference::Shape shape{static_cast<int64_t>(gate.size()), 1};
  expectClose(results[2].as<float>(), reference::swiglu(tensor(shape, gate), tensor(shape, up), limit), 2e-6);
}

TEST(Swiglu, Tiny) { check(normals(3 * 768, 1, 4), normals(3 * 768, 2, 4), 3); }
TEST(Swiglu, OddWidthEightTokens) { check(normals(8 * 33, 1), normals(8 * 33, 2), 8); }
TEST(Swiglu, ClampsGateAboveAndUpOnBothSides) {
  check({9.99f, 10, 10.01f, 50, -10.01f, -20, 1, 1}, {1, 10, 11, -11, 3, -10, 1e30f, -1e30f}, 1);
}
TEST(Swiglu, LargeNegativeGatesVanish) {
  std::vector<float> gate{-50, -87, -100, -1000}, up(4, 1);
  auto results = launch(emitKernel(SwigluShape{4}), makeStep(0, 1), {input(gate), input(up), output(4)});
  for (int i = 0; i < 4; ++i) // subnormal results may be flushed
    EXPECT_NEAR(results[2].as<float>()[i], gate[i] * std::exp(static_cast<double>(gate[i])), 1e-26);
}
TEST(Swiglu, NanStaysNan) {
  const float nan = __builtin_nanf("");
  auto results = launch(emitKernel(SwigluShape{4}), makeStep(0, 1),
                        {input(std::vector<float>{nan, 1, nan, 1}), input(std::vector<float>{1, nan, nan, 1}), output(4)});
  std::vector<float> y = results[2].as<float>();
  EXPECT_TRUE(std::isnan(y[0]) && std::isnan(y[1]) && std::isnan(y[2]) && !std::isnan(y[3]));
}

} // namespace ds4::test
