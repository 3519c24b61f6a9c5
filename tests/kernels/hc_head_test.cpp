#include <gtest/gtest.h>

#include "codegen/emitters/Emitters.h"
#include "ir/reference/Reference.h"
#include "tests/kernels/KernelRunner.h"

namespace ds4::test {

static void check(const std::string &fnFormat, int width, int q) {
  std::vector<float> streams = normals(q * 4 * width, 1);
  WeightData fn = randomWeight(fnFormat, {4, 4 * width}, 2, 0.05), base = randomWeight("f32", {4}, 3),
             scale = randomWeight("f32", {1}, 4);
  auto results = launch(emitKernel(HcHeadShape{.fnFormat = fnFormat, .width = width, .eps = 1e-6f, .hcEps = 1e-3f}), makeStep(0, q),
                        {input(streams), weight(fn), weight(base), weight(scale), output(q * width)});
  expectClose(results[4].as<float>(),
              reference::hcHead(tensor({q, 4, width}, streams), fn.weight(), base.weight(), scale.weight(), 1e-6f, 1e-3f), 1e-6);
}

TEST(HcHead, Tiny) { check("f16", 256, 3); }
TEST(HcHead, Flash) { check("f16", 4096, 1); }
TEST(HcHead, Q8) { check("q8_0", 512, 8); }
TEST(HcHead, OddWidth) { check("f32", 19, 2); }

} // namespace ds4::test
