#include <gtest/gtest.h>

#include "codegen/emitters/Emitters.h"
#include "ir/reference/Reference.h"
#include "tests/kernels/KernelRunner.h"

namespace ds4::test {

static void check(int first, int second, int q) {
  std::vector<float> a = normals(q * first, 1), b = normals(q * second, 2);
  auto results = launch(emitKernel(ConcatShape{first, second}), makeStep(0, q), {input(a), input(b), output(q * (first + second))});
  expectClose(results[2].as<float>(), reference::concat(tensor({q, first}, a), tensor({q, second}, b)), 0);
}

TEST(Concat, Tiny) { check(256, 64, 5); }
TEST(Concat, Flash) { check(8192, 4096, 2); }
TEST(Concat, OddWidths) {
  check(7, 4, 3);
  check(4, 131, 8);
  check(1, 1, 1);
}

} // namespace ds4::test
