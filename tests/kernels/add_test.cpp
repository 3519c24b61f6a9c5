#include <gtest/gtest.h>

#include "codegen/emitters/Emitters.h"
#include "ir/reference/Reference.h"
#include "tests/kernels/KernelRunner.h"

namespace ds4::test {

static void check(int width, int q) {
  std::vector<float> a = normals(q * width, 1), b = normals(q * width, 2);
  auto results = launch(emitKernel(AddShape{width}), makeStep(0, q), {input(a), input(b), output(q * width)});
  expectClose(results[2].as<float>(), reference::add(tensor({q, width}, a), tensor({q, width}, b)), 1e-7);
}

TEST(Add, Tiny) { check(256, 3); }
TEST(Add, Flash) { check(4096, 1); }
TEST(Add, OddWidth) { check(131, 8); }

} // namespace ds4::test
