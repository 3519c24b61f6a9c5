#include <gtest/gtest.h>

#include "codegen/emitters/Emitters.h"
#include "ir/reference/Reference.h"
#include "tests/kernels/KernelRunner.h"

namespace ds4::test {

static void check(const ExpertLinearShape &s, int q, const std::vector<int> &ids) {
  int inputs = s.perSlot ? s.used : 1;
  std::vector<float> x = normals(q * inputs * s.k, 1);
  WeightData w = randomWeight(s.format, {s.experts, s.n, s.k}, 2);
  auto results = launch(emitKernel(s), makeStep(5, q), {input(x), input(ids), weight(w), output(q * s.used * s.n)});
  reference::Tensor operand = s.perSlot ? tensor({q, s.used, s.k}, x) : tensor({q, s.k}, x);
  expectClose(results[3].as<float>(), reference::expertLinear(operand, tensor({q, s.used}, ids), w.weight()), 1e-6);
}

TEST(ExpertLinear, OneInputForAllSlots) { check({"q8_0", 16, 6, 128, 256}, 2, {3, 15, 0, 7, 7, 1, 2, 4, 6, 8, 10, 12}); }
TEST(ExpertLinear, OneInputASlot) { check({"q8_0", 16, 3, 256, 128, true}, 3, {3, 15, 0, 7, 7, 1, 2, 4, 6}); }
TEST(ExpertLinear, HalfPrecision) { check({"f16", 4, 2, 33, 40}, 1, {3, 0}); }
TEST(ExpertLinear, SinglePrecisionEightTokens) { check({"f32", 3, 1, 5, 64}, 8, {0, 1, 2, 0, 1, 2, 0, 1}); }
TEST(ExpertLinear, IdsOutOfRangeGiveZeros) { check({"q8_0", 4, 4, 130, 64}, 1, {-1, 4, 2, 1 << 30}); }

} // namespace ds4::test
