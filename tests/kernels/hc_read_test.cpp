#include <gtest/gtest.h>

#include "codegen/emitters/Emitters.h"
#include "ir/reference/Reference.h"
#include "tests/kernels/KernelRunner.h"

namespace ds4::test {

static void check(int width, int q) {
  std::vector<float> streams = normals(q * 4 * width, 1), pre = uniforms(q * 4, 2, 0, 1);
  auto results = launch(emitKernel(HcReadShape{width}), makeStep(0, q), {input(streams), input(pre), output(q * width)});
  expectClose(results[2].as<float>(), reference::hcRead(tensor({q, 4, width}, streams), tensor({q, 4}, pre)), 3e-7);
}

TEST(HcRead, Tiny) { check(256, 3); }
TEST(HcRead, Flash) { check(4096, 1); }
TEST(HcRead, OddWidth) { check(19, 8); }

} // namespace ds4::test
