#include <gtest/gtest.h>

#include "codegen/emitters/Emitters.h"
#include "ir/reference/Reference.h"
#include "tests/kernels/KernelRunner.h"

namespace ds4::test {

static void check(int heads, int width, int q, double scale = 1) {
  std::vector<float> x = normals(q * heads * width, 1, scale);
  auto results = launch(emitKernel(HeadNormShape{heads, width, 1e-6f}), makeStep(0, q), {input(x), output(x.size())});
  expectClose(results[1].as<float>(), reference::headNorm(tensor({q, heads, width}, x), 1e-6f), 5e-7);
}

TEST(HeadNorm, Tiny) { check(8, 128, 3); }
TEST(HeadNorm, Flash) { check(64, 512, 1); }
TEST(HeadNorm, OddHeadsAndWidth) { check(5, 33, 8); }
TEST(HeadNorm, OneHead) { check(1, 64, 1); }
TEST(HeadNorm, SmallAndZeroHeads) {
  check(2, 128, 1, 1e-4);
  check(2, 128, 1, 0);
}

} // namespace ds4::test
