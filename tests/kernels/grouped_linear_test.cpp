#include <gtest/gtest.h>

#include "codegen/emitters/Emitters.h"
#include "ir/reference/Reference.h"
#include "tests/kernels/KernelRunner.h"

namespace ds4::test {

static void check(const std::string &format, int groups, int n, int k, int q) {
  std::vector<float> x = normals(q * groups * k, 1);
  WeightData w = randomWeight(format, {groups * n, k}, 2);
  auto results =
      launch(emitKernel(GroupedLinearShape{format, groups, n, k}), makeStep(5, q), {input(x), weight(w), output(q * groups * n)});
  expectClose(results[2].as<float>(), reference::groupedLinear(tensor({q, groups * k}, x), w.weight(), groups), 1e-6);
}

TEST(GroupedLinear, Tiny) { check("q8_0", 2, 128, 512, 3); }
TEST(GroupedLinear, FlashWidth) { check("q8_0", 8, 4, 4096, 1); }
TEST(GroupedLinear, GroupsThatEndWithinAWave) { check("f16", 3, 5, 64, 2); }
TEST(GroupedLinear, SinglePrecision) { check("f32", 2, 7, 36, 8); }

TEST(GroupedLinear, Chunk) {
  constexpr int kGroups = 3, kN = 37, kK = 96, kTokens = 131;
  const std::vector<float> x = normals(kTokens * kGroups * kK, 1);
  const WeightData w = randomWeight("q8_0", {kGroups * kN, kK}, 2);
  const auto results = launch(emitKernel(GroupedLinearShape{.format = "q8_0", .groups = kGroups, .n = kN, .k = kK, .chunk = true}),
                              makeStep(5, kTokens), {input(x), weight(w), output(kTokens * kGroups * kN)});
  const reference::Tensor expected = reference::groupedLinear(tensor({kTokens, kGroups * kK}, x), w.weight(), kGroups);
  expectSmallError(results[2].as<float>(), expected, 6e-4);

  const ScaledRows rows(x, kTokens * kGroups, kK);
  const GroupedLinearShape shape{.format = "q8_0", .groups = kGroups, .n = kN, .k = kK, .halves = true, .chunk = true};
  const auto scaled = launch(emitKernel(shape), makeStep(5, kTokens),
                             {input(rows.halves), weight(w), input(rows.scales), output(kTokens * kGroups * kN)});
  expectSmallError(scaled[3].as<float>(), expected, 6e-4);
}

} // namespace ds4::test
