#include <gtest/gtest.h>

#include "codegen/emitters/Emitters.h"
#include "ir/reference/Reference.h"
#include "tests/kernels/KernelRunner.h"

namespace ds4::test {

static void check(const std::string &format, int n, int k, int q) {
  std::vector<float> x = normals(q * k, 1);
  WeightData w = randomWeight(format, {n, k}, 2);
  auto results = launch(emitKernel(LinearShape{format, n, k}), makeStep(5, q), {input(x), weight(w), output(q * n)});
  expectClose(results[2].as<float>(), reference::linear(tensor({q, k}, x), w.weight()), 1e-6);
}

TEST(Linear, TinyShapes) {
  check("q8_0", 128, 256, 1);
  check("q8_0", 256, 128, 3);
  check("f16", 16, 256, 3);
  check("f32", 16, 256, 1);
}

TEST(Linear, EightTokens) { check("q8_0", 64, 512, 8); }

TEST(Linear, FlashWidths) {
  check("q8_0", 9, 4096, 1);
  check("f16", 9, 4096, 1);
  check("f32", 9, 4096, 2);
  check("q8_0", 5, 8192, 1);
}

TEST(Linear, LastWaveHasFewerRows) {
  check("q8_0", 1, 32, 1);
  check("q8_0", 131, 64, 2);
  check("f16", 33, 128, 2);
}

TEST(Linear, RunsThatDoNotFillTheLanes) {
  check("q8_0", 7, 96, 1);
  check("q8_0", 7, 32 * 37, 1);
  check("f16", 7, 8 * 37, 1);
  check("f32", 7, 4 * 37, 1);
}

TEST(Linear, OddWidths) {
  check("f16", 5, 1, 1);
  check("f16", 5, 333, 2);
  check("f32", 5, 77, 2);
}

TEST(Linear, ScalesOfZeroAndSubnormals) {
  WeightData w = randomWeight("f16", {8, 64}, 3, 1e-6);
  std::vector<float> x = normals(64, 4);
  auto results = launch(emitKernel(LinearShape{"f16", 8, 64}), makeStep(0, 1), {input(x), weight(w), output(8)});
  expectClose(results[2].as<float>(), reference::linear(tensor({1, 64}, x), w.weight()), 1e-6);
}

} // namespace ds4::test
