#include <algorithm>

#include <gtest/gtest.h>

#include "codegen/emitters/Emitters.h"
#include "ir/reference/Reference.h"
#include "tests/kernels/KernelRunner.h"

namespace ds4::test {

static void check(int used, int width, int q, const std::vector<float> &weights) {
  std::vector<float> y = normals(q * used * width, 1);
  auto results = launch(emitKernel(CombineShape{used, width}), makeStep(0, q), {input(y), input(weights), output(q * width)});
  expectClose(results[2].as<float>(), reference::combine(tensor({q, used, width}, y), tensor({q, used}, weights)), 1e-6);
}

TEST(Combine, Tiny) { check(6, 256, 3, normals(18, 2)); }
TEST(Combine, Flash) { check(6, 4096, 1, normals(6, 2)); }
TEST(Combine, OddWidthOneSlot) { check(1, 37, 8, normals(8, 2)); }
TEST(Combine, SlotsOfWeightZeroAreNotRead) {
  std::vector<float> y = normals(2 * 64, 1);
  std::fill_n(y.begin(), 64, __builtin_nanf(""));
  auto results = launch(emitKernel(CombineShape{2, 64}), makeStep(0, 1), {input(y), input(std::vector<float>{0, 2}), output(64)});
  std::vector<float> out = results[2].as<float>();
  for (int i = 0; i < 64; ++i)
    EXPECT_EQ(out[i], 2 * y[64 + i]);
}

} // namespace ds4::test
