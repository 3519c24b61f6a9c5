#include "support/StepGuard.h"

#include <gtest/gtest.h>

using namespace ds4;

namespace {
const StepExpr kRows = (StepExpr::pos() + StepExpr::q()).floorDiv(4);
} // namespace

TEST(StepGuard, HoldsWhereAllOfItsRangesDo) {
  const StepGuard guard{{{.value = StepExpr::q(), .least = 2, .most = 4}, {.value = kRows, .least = 3}}};
  EXPECT_TRUE(guard.holds(10, 2));
  EXPECT_TRUE(guard.holds(8, 4));
  EXPECT_FALSE(guard.holds(9, 2)); // 2 rows
  EXPECT_FALSE(guard.holds(100, 1));
  EXPECT_FALSE(guard.holds(100, 5));
}

TEST(StepGuard, WithoutRangesHoldsAlways) {
  EXPECT_TRUE(StepGuard().holds(0, 1));
  EXPECT_TRUE(StepGuard({{{.value = kRows}}}).holds(0, 1));
}

TEST(StepGuard, ReadsAsInequalities) {
  EXPECT_EQ(StepGuard().toString(), "always");
  EXPECT_EQ((StepGuard{{{.value = StepExpr::q(), .least = 1, .most = 1}, {.value = kRows, .most = 511}}}).toString(),
            "q = 1 and (pos + q) floordiv 4 <= 511");
  EXPECT_EQ((StepGuard{{{.value = StepExpr::q(), .least = 2, .most = 4}, {.value = StepExpr::pos(), .least = 128}}}).toString(),
            "2 <= q <= 4 and pos >= 128");
}
