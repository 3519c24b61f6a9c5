#include <gtest/gtest.h>

#include "codegen/emitters/Emitters.h"
#include "ir/reference/Reference.h"
#include "tests/kernels/KernelRunner.h"

namespace ds4::test {

static void check(int experts, int used, const std::vector<int> &ids) {
  const int q = static_cast<int>(ids.size()) / used;
  Operand starts = output(experts + 1);
  starts.role = Operand::Role::State; // not a token's
  auto results = launchTogether(emitKernel(GroupSlotsShape{experts, used}), makeStep(7, q), {input(ids), output(q * used), starts});
  reference::SlotGroups expected = reference::groupSlots(tensor({q, used}, ids), experts);
  expectEqual(results[1].as<int>(), expected.order);
  expectEqual(results[2].as<int>(), expected.starts);
}

TEST(GroupSlots, OneToken) { check(16, 6, {3, 15, 0, 7, 1, 2}); }
TEST(GroupSlots, ManyTokens) {
  for (int tokens : {3, 127, 128, 129})
    check(16, 6, randomIds(tokens * 6, 3, 16));
}
TEST(GroupSlots, MoreExpertsThanSlots) { check(256, 6, randomIds(12, 3, 256)); }
TEST(GroupSlots, AllOfOneExpert) { check(8, 2, std::vector<int>(700, 5)); }
TEST(GroupSlots, IdsOutOfRangeComeLast) { check(4, 3, {-1, 2, 4, 1 << 30, 0, 3, 2, -7, 1}); }

} // namespace ds4::test
