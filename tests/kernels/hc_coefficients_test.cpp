#include <gtest/gtest.h>

#include "codegen/emitters/Emitters.h"
#include "ir/reference/Reference.h"
#include "tests/kernels/KernelRunner.h"

namespace ds4::test {

static void check(const std::string &fnFormat, const std::string &smallFormat, int width, int q, double scale = 1,
                  bool chunk = false) {
  std::vector<float> streams = normals(q * 4 * width, 1, scale);
  WeightData fn = randomWeight(fnFormat, {24, 4 * width}, 2, 0.05), base = randomWeight(smallFormat, {24}, 3);
  WeightData scales = randomWeight(smallFormat, {3}, 4);
  auto results = launch(emitKernel(HcCoefficientsShape{fnFormat, smallFormat, smallFormat, width, 1e-6f, chunk}), makeStep(0, q),
                        {input(streams), weight(fn), weight(base), weight(scales), output(q * 24)});
  expectClose(results[4].as<float>(),
              reference::hcCoefficients(tensor({q, 4, width}, streams), fn.weight(), base.weight(), scales.weight(), 1e-6f), 1e-6);
}

TEST(HcCoefficients, Tiny) { check("f16", "f32", 256, 3); }
TEST(HcCoefficients, Flash) { check("f16", "f32", 4096, 1); }
TEST(HcCoefficients, OtherFormats) {
  check("q8_0", "f16", 64, 2);
  check("f32", "f32", 64, 8);
}
TEST(HcCoefficients, OddWidth) { check("f32", "f32", 19, 1); }
TEST(HcCoefficients, EpsilonMattersForSmallStreams) { check("f16", "f32", 64, 1, 1e-4); }

// Workgroups of eight tokens: of one that is full, of one that is not, of several.
TEST(HcCoefficients, Chunk) {
  for (int q : {1, 7, 8, 9, 20})
    check("f16", "f32", 256, q, 1, true);
  check("f32", "f16", 64, 11, 1, true);
  check("f16", "f32", 4096, 10, 1, true);
  check("q8_0", "f32", 64, 9, 1, true);
}

} // namespace ds4::test
