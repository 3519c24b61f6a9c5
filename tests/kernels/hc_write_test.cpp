#include <gtest/gtest.h>

#include "codegen/emitters/Emitters.h"
#include "ir/reference/Reference.h"
#include "tests/kernels/KernelRunner.h"

namespace ds4::test {

static void check(int width, int q) {
  std::vector<float> y = normals(q * width, 1), streams = normals(q * 4 * width, 2);
  std::vector<float> post = uniforms(q * 4, 3, 0, 2), comb = uniforms(q * 16, 4, 0, 0.5);
  auto results = launch(emitKernel(HcWriteShape{width}), makeStep(0, q),
                        {input(y), input(streams), input(post), input(comb), output(q * 4 * width)});
  expectClose(
      results[4].as<float>(),
      reference::hcWrite(tensor({q, width}, y), tensor({q, 4, width}, streams), tensor({q, 4}, post), tensor({q, 4, 4}, comb)),
      5e-7);
}

TEST(HcWrite, Tiny) { check(256, 3); }
TEST(HcWrite, Flash) { check(4096, 1); }
TEST(HcWrite, OddWidth) { check(19, 8); }

} // namespace ds4::test
