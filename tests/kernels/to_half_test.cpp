#include <cmath>
#include <cstdio>
#include <limits>

#include <gtest/gtest.h>

#include "codegen/emitters/ActivationCost.h"
#include "codegen/emitters/Emitters.h"
#include "ir/reference/Reference.h"
#include "support/Half.h"
#include "tests/kernels/KernelRunner.h"

namespace ds4::test {

static std::vector<uint16_t> halvesOf(const std::vector<float> &x, int q) {
  const int width = static_cast<int>(x.size()) / q;
  return launch(emitKernel(ToHalfShape{width}), makeStep(0, q), {input(x), output(x.size() / 2)})[1].as<uint16_t>();
}
static void check(const std::vector<float> &x, int q) {
  const int width = static_cast<int>(x.size()) / q;
  const reference::Tensor expected = reference::toHalf(tensor({q, width}, x));
  const std::vector<uint16_t> halves = halvesOf(x, q);
  for (size_t i = 0; i < x.size(); ++i)
    ASSERT_EQ(halves[i], floatToHalf(static_cast<float>(expected.values[i]))) << "value " << i << ", " << x[i];
}

TEST(ToHalf, Widths) {
  check(normals(3 * 256, 1), 3);
  check(normals(4096, 2), 1);
  check(normals(8 * 1030, 3), 8);
  check(normals(6, 4), 1);
  check(normals(2 * 78, 5), 2);
}
TEST(ToHalf, SmallValuesKeepTheBitsOfSubnormals) {
  check(normals(256, 1, 1e-5), 1);
  check(normals(256, 1, 1e-7), 1);
  check(std::vector<float>(256, 0), 1);
}
TEST(ToHalf, GreatValuesBecomeTheGreatest) {
  check(
      {65504, 65519, 65520, 1e30f, -65505, -1e9f, std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()},
      1);
}
TEST(ToHalf, TiesGoToEven) { check({2049, 2051, -2049, 2050, 1.00048828125f, 1.00146484375f, 6e-8f, 3e-8f}, 1); }
TEST(ToHalf, NanStaysNan) { EXPECT_TRUE(std::isnan(halfToFloat(halvesOf({1, std::nanf(""), 2, 3}, 1)[1]))); }

// ActivationCost.h, from which the compiler decides: what readers save, and what the conversion costs, within a third.
TEST(ToHalf, CountsAreThoseThatTheCompilerAssumes) {
  const std::vector<float> x = normals(4096, 1);
  for (const auto &[format, k, n] :
       {std::tuple("rocmfp4", 4096, 256), std::tuple("rocmfp4", 1024, 512), std::tuple("q8_0", 1024, 512)}) {
    const WeightData w = randomWeight(format, {n, k}, 2);
    LinearShape shape{format, n, k, 1};
    const KernelSpec singles = emitKernel(shape);
    launch(singles, makeStep(0, 1), {input(std::vector(x.begin(), x.begin() + k)), weight(w), output(n)});
    const double before = static_cast<double>(lastInstructions());
    shape.halves = true;
    launch(emitKernel(shape), makeStep(0, 1), {input(std::vector<uint16_t>(k)), weight(w), output(n)});
    const double saved = before - static_cast<double>(lastInstructions());
    const ActivationReader reader{static_cast<int>(singles.grid[0].evaluate(0, 1)), singles.block / 32};
    std::printf("%s, %d weights a row: %.1f instructions saved a wave, %.1f assumed\n", format, k,
                saved / (reader.workgroups * reader.waves), ActivationCost::saved(reader) / (reader.workgroups * reader.waves));
    if (before > 0) {
      EXPECT_NEAR(saved / ActivationCost::saved(reader), 1, 0.3);
    }
  }
  for (int k : {1024, 4096}) {
    halvesOf(std::vector(x.begin(), x.begin() + k), 1);
    const double wave = static_cast<double>(lastInstructions()) / 8;
    std::printf("to_half of %d: %.1f instructions a wave, %.1f assumed\n", k, wave, ActivationCost::serial(k, 8));
    if (wave > 0) {
      EXPECT_NEAR(wave / ActivationCost::serial(k, 8), 1, 0.3);
    }
  }
}

} // namespace ds4::test
