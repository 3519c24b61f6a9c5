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

} // namespace ds4::test
