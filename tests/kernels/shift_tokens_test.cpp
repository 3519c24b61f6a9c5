#include <algorithm>

#include <gtest/gtest.h>

#include "codegen/emitters/Emitters.h"
#include "ir/reference/Reference.h"
#include "tests/kernels/KernelRunner.h"

namespace ds4::test {

static void check(const std::vector<int> &tokens, const std::vector<int> &next) {
  const int q = static_cast<int>(tokens.size());
  Step step = makeStep(70, q);
  std::ranges::copy(tokens, step.token);
  auto results = launchTogether(emitKernel(ShiftTokensShape{}), step, {input(next), output(q)});
  expectEqual(results[1].as<int>(), reference::shiftTokens(tensor({q}, tokens), tensor({q}, next)));
}

TEST(ShiftTokens, OneToken) { check({4095}, {17}); }
TEST(ShiftTokens, Block) { check({5, 2, 2, 2, 2}, {11, 12, 13, 14, 15}); }
TEST(ShiftTokens, Widest) { check({1, 2, 3, 4, 5, 6, 7, 8}, {9, 10, 11, 12, 13, 14, 15, 129279}); }
TEST(ShiftTokens, NoSuccessor) { check({5, 2, 2}, {-1, 0, -1}); }

} // namespace ds4::test
