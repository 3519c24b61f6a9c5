// A guard that goes through the IR as a set of steps comes back as the same inequalities.
#include "ir/StepExprAffine.h"

#include <gtest/gtest.h>
#include <mlir/IR/MLIRContext.h>

using namespace ds4;

namespace {

const StepExpr kRows = (StepExpr::pos() + StepExpr::q()).floorDiv(4);

std::string thereAndBack(const StepGuard &guard) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  mlir::FailureOr<mlir::IntegerSet> set = toIntegerSet(guard, &context);
  EXPECT_TRUE(succeeded(set));
  const StepGuard back = toStepGuard(*set);
  for (int64_t pos : {0, 1, 127, 128, 2043, 2044, 2047, 2048})
    for (int64_t q = 1; q <= 8; ++q)
      EXPECT_EQ(back.holds(pos, q), guard.holds(pos, q)) << back.toString() << " at " << pos << ", " << q;
  return back.toString();
}

} // namespace

TEST(StepGuardAffine, KeepsRanges) {
  EXPECT_EQ(thereAndBack({}), "always");
  EXPECT_EQ(thereAndBack({{{.value = StepExpr::q(), .least = 1, .most = 1}}}), "q = 1");
  EXPECT_EQ(thereAndBack({{{.value = StepExpr::q(), .least = 2, .most = 4}}}), "2 <= q <= 4");
  EXPECT_EQ(thereAndBack({{{.value = StepExpr::q(), .least = 3}}}), "q >= 3");
  EXPECT_EQ(thereAndBack({{{.value = kRows, .most = 511}}}), "(pos + q) floordiv 4 <= 511");
  EXPECT_EQ(thereAndBack({{{.value = StepExpr::q(), .least = 2}, {.value = kRows, .least = 512}}}),
            "q >= 2 and (pos + q) floordiv 4 >= 512");
  EXPECT_EQ(thereAndBack({{{.value = StepExpr::pos().mod(128), .least = 127, .most = 127}}}), "pos mod 128 = 127");
}

TEST(StepGuardAffine, KeepsWhatNeverHolds) {
  const StepGuard never{{{.value = StepExpr(3), .least = 5}}};
  thereAndBack(never);
}

TEST(StepGuardAffine, RefusesWhatIsNotAffine) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  EXPECT_TRUE(failed(toIntegerSet({{{.value = StepExpr::pos() * StepExpr::q(), .least = 5}}}, &context)));
}
