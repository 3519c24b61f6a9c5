#include <cmath>

#include <gtest/gtest.h>

#include "codegen/emitters/Emitters.h"
#include "ir/reference/Reference.h"
#include "tests/kernels/KernelRunner.h"

namespace ds4::test {

static void check(int experts, int k, const std::vector<float> &logits, const WeightData &bias, const std::string &format = "f32") {
  int q = static_cast<int>(logits.size()) / experts;
  auto results = launch(emitKernel(RouterShape{format, experts, k, 1.5f}), makeStep(0, q),
                        {input(logits), weight(bias), output(q * k), output(q * k)});
  reference::Routing expected = reference::router(tensor({q, experts}, logits), bias.weight(), k, 1.5f);
  expectEqual(results[2].as<int>(), expected.ids);
  expectClose(results[3].as<float>(), expected.weights, 1e-6);
}

TEST(Router, Tiny) { check(16, 6, normals(3 * 16, 1), randomWeight("f32", {16}, 2, 0.1)); }
TEST(Router, Flash) { check(256, 6, normals(8 * 256, 1, 2), randomWeight("f32", {256}, 2, 0.1)); }
TEST(Router, HalfPrecisionBias) { check(64, 4, normals(64, 1), randomWeight("f16", {64}, 2, 0.1), "f16"); }
TEST(Router, ExpertsThatDoNotFillAWave) { check(37, 5, normals(2 * 37, 3), randomWeight("f32", {37}, 2, 0.1)); }
TEST(Router, AllExperts) { check(6, 6, normals(6, 3), randomWeight("f32", {6}, 2)); }
TEST(Router, EqualScoresTakeTheLowerIndex) {
  check(64, 6, std::vector<float>(64, 0.5f), encodeWeight("f32", {64}, std::vector<float>(64, 0)));
  std::vector<float> logits(96, -1);
  logits[70] = logits[35] = logits[3] = 2;
  check(96, 6, logits, encodeWeight("f32", {96}, std::vector<float>(96, 0)));
}
TEST(Router, ExtremeLogits) {
  std::vector<float> logits = uniforms(2 * 64, 5, -81, 81);
  check(64, 6, logits, encodeWeight("f32", {64}, std::vector<float>(64, 0)));
  check(4, 4, {-30, -40, -50, -60}, encodeWeight("f32", {4}, std::vector<float>(4, 0)));
}
TEST(Router, NanIsChosenLastAndOnce) {
  std::vector<float> logits(8, std::nanf(""));
  logits[5] = 1;
  auto results = launch(emitKernel(RouterShape{"f32", 8, 4, 1}), makeStep(0, 1),
                        {input(logits), weight(encodeWeight("f32", {8}, std::vector<float>(8, 0))), output(4), output(4)});
  EXPECT_EQ(results[2].as<int>(), (std::vector<int>{5, 0, 1, 2}));
}

} // namespace ds4::test
