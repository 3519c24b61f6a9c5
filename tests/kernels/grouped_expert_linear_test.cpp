#include <numeric>

#include <gtest/gtest.h>

#include "codegen/emitters/Emitters.h"
#include "ir/reference/Reference.h"
#include "tests/kernels/KernelRunner.h"

namespace ds4::test {

static void check(const GroupedExpertLinearShape &s, const std::vector<int> &ids, double limit = 6e-4) {
  const int q = static_cast<int>(ids.size()) / s.used;
  std::vector<float> x = normals(q * s.k * (s.perSlot ? s.used : 1), 1);
  WeightData w = randomWeight(s.format, {s.experts, s.n, s.k}, 2);
  const reference::SlotGroups groups = reference::groupSlots(tensor({q, s.used}, ids), s.experts);
  const std::vector<int> order(groups.order.values.begin(), groups.order.values.end());
  const std::vector<int> starts(groups.starts.values.begin(), groups.starts.values.end());
  auto results =
      launchTogether(emitKernel(s), makeStep(5, q), {input(x), input(order), weight(starts), weight(w), output(q * s.used * s.n)});
  reference::Tensor operand = s.perSlot ? tensor({q, s.used, s.k}, x) : tensor({q, s.k}, x);
  const reference::Tensor expected = reference::groupedExpertLinear(operand, groups.order, groups.starts, w.weight());
  expectSmallError(results[4].as<float>(), expected, limit);
  if (s.format == "f16")
    return;
  const ScaledRows rows(x, q * (s.perSlot ? s.used : 1), s.k);
  GroupedExpertLinearShape ofHalves = s;
  ofHalves.halves = true;
  const auto scaled =
      launchTogether(emitKernel(ofHalves), makeStep(5, q),
                     {input(rows.halves), input(order), weight(starts), weight(w), input(rows.scales), output(q * s.used * s.n)});
  expectSmallError(scaled[5].as<float>(), expected, limit);
}

TEST(GroupedExpertLinear, OneToken) { check({"q8_0", 16, 6, 128, 256}, {3, 15, 0, 7, 1, 2}); }
TEST(GroupedExpertLinear, OneInputForAllSlots) { check({"q8_0", 16, 6, 160, 96}, randomIds(6 * 37, 3, 16)); }
TEST(GroupedExpertLinear, OneInputASlot) { check({"rocmfp4_fast", 16, 3, 33, 128, true}, randomIds(3 * 40, 3, 16)); }
TEST(GroupedExpertLinear, SeveralTilesOfAnExpert) { check({"q8_0", 3, 2, 40, 64}, randomIds(2 * 300, 3, 2)); }
TEST(GroupedExpertLinear, Levels) { check({"q4_k", 4, 2, 20, 256}, randomIds(2 * 9, 3, 4)); }
TEST(GroupedExpertLinear, HalfPrecisionIsNearlyExact) { check({"f16", 4, 2, 33, 64}, randomIds(2 * 33, 3, 4), 1e-6); }
// Few slots of an expert are laid out otherwise than many.
TEST(GroupedExpertLinear, FewSlotsHaveTheBitsOfMany) {
  for (bool halves : {false, true}) {
    const GroupedExpertLinearShape s{.format = "q8_0", .experts = 2, .used = 1, .n = 150, .k = 128, .halves = halves};
    const auto slots = [&](int q) {
      const std::vector<float> x = normals(static_cast<size_t>(q) * s.k, 1);
      const ScaledRows rows(x, q, s.k);
      std::vector<int> order(q);
      std::iota(order.begin(), order.end(), 0);
      std::vector<Operand> operands{halves ? input(rows.halves) : input(x), input(order), weight(std::vector<int>{0, 0, q}),
                                    weight(randomWeight(s.format, {2, s.n, s.k}, 2))};
      if (halves)
        operands.push_back(input(rows.scales));
      operands.push_back(output(q * s.n));
      return launchTogether(emitKernel(s), makeStep(5, q), operands).back().as<float>();
    };
    std::vector<float> many = slots(150);
    for (int q : {128, 97, 96, 95, 33, 32, 17, 16, 1}) {
      many.resize(static_cast<size_t>(q) * s.n);
      EXPECT_EQ(slots(q), many) << q;
    }
  }
}
TEST(GroupedExpertLinear, IdsOutOfRangeGiveZeros) { check({"q8_0", 4, 4, 130, 64}, {-1, 4, 2, 1 << 30, 3, 3, -5, 0}); }

} // namespace ds4::test
