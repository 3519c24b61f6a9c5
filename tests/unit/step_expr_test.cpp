#include "support/StepExpr.h"

#include <gtest/gtest.h>

#include "support/Error.h"

using ds4::StepExpr;

TEST(StepExpr, EvaluatesWhatItParses) {
  EXPECT_EQ(StepExpr::parse("(pos + q) floordiv 4").evaluate(2621, 3), 656);
  EXPECT_EQ(StepExpr::parse("q * 3 + 1").evaluate(0, 8), 25);
  EXPECT_EQ(StepExpr::parse("(pos + q) ceildiv 128 mod 5").evaluate(1000, 1), 3);
  EXPECT_EQ(StepExpr::parse("pos - 5").evaluate(2, 1), -3);
}

TEST(StepExpr, DividesTowardsMinusInfinity) {
  EXPECT_EQ(StepExpr::parse("(pos - 5) floordiv 4").evaluate(0, 1), -2);
  EXPECT_EQ(StepExpr::parse("(pos - 5) ceildiv 4").evaluate(0, 1), -1);
  EXPECT_EQ(StepExpr::parse("(pos - 5) mod 4").evaluate(0, 1), 3);
}

TEST(StepExpr, PrintsAndParsesBack) {
  StepExpr expr = (StepExpr::pos() + StepExpr::q()).floorDiv(4) * StepExpr(2);
  EXPECT_EQ(expr.toString(), "((pos + q) floordiv 4) * 2");
  EXPECT_EQ(StepExpr::parse(expr.toString()), expr);
}

TEST(StepExpr, RefusesWhatIsNotWellFormed) {
  EXPECT_THROW(StepExpr::parse("pos +"), ds4::Error);
  EXPECT_THROW(StepExpr::parse("pos) "), ds4::Error);
  EXPECT_THROW(StepExpr::parse("99999999999999999999"), ds4::Error);
  EXPECT_THROW(StepExpr::fromNodes({{StepExpr::Op::Add}}), ds4::Error);
  EXPECT_THROW(StepExpr::fromNodes({}), ds4::Error);
  EXPECT_THROW(StepExpr::parse("pos mod 0").evaluate(1, 1), ds4::Error);
}

TEST(StepExpr, RefusesToOverflow) {
  const StepExpr most(INT64_MAX), least(INT64_MIN);
  EXPECT_THROW((most + StepExpr(1)).evaluate(0, 1), ds4::Error);
  EXPECT_THROW((least - StepExpr(1)).evaluate(0, 1), ds4::Error);
  EXPECT_THROW((most * StepExpr(2)).evaluate(0, 1), ds4::Error);
  EXPECT_EQ(least.ceilDiv(StepExpr(2)).evaluate(0, 1), INT64_MIN / 2);
}
