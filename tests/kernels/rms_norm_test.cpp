#include <gtest/gtest.h>

#include "codegen/emitters/Emitters.h"
#include "ir/reference/Reference.h"
#include "tests/kernels/KernelRunner.h"

namespace ds4::test {

static void check(const std::string &format, int width, int q, double scale = 1, float eps = 1e-6f) {
  std::vector<float> x = normals(q * width, 1, scale);
  WeightData w = randomWeight(format, {width}, 2);
  auto results = launch(emitKernel(RmsNormShape{format, width, eps}), makeStep(0, q), {input(x), weight(w), output(q * width)});
  expectClose(results[2].as<float>(), reference::rmsNorm(tensor({q, width}, x), w.weight(), eps), 5e-7);
}

TEST(RmsNorm, OneWave) { check("f32", 256, 3); }
TEST(RmsNorm, EightWaves) { check("f32", 4096, 2); }
TEST(RmsNorm, HalfPrecisionWeight) { check("f16", 1024, 1); }
TEST(RmsNorm, Q8Weight) { check("q8_0", 128, 8); }
TEST(RmsNorm, OddWidths) {
  check("f32", 1, 1);
  check("f32", 77, 2);
  check("f32", 1030, 1);
}
TEST(RmsNorm, EpsilonMattersForSmallValues) { check("f32", 256, 1, 1e-4, 1e-6f); }
TEST(RmsNorm, ZerosStayZero) { check("f32", 256, 1, 0); }

} // namespace ds4::test
