// Step expressions and guards as affine expressions and sets of (pos, q) = (d0, d1), and back.
#pragma once

#include <mlir/IR/AffineExpr.h>
#include <mlir/IR/AffineMap.h>
#include <mlir/IR/IntegerSet.h>

#include "support/StepExpr.h"
#include "support/StepGuard.h"

namespace ds4 {

// Fails for an expression that is not affine: a product of scalars or a division by one.
mlir::FailureOr<mlir::AffineExpr> toAffineExpr(const StepExpr &expr, mlir::MLIRContext *context);

// Total over expressions of two dimensions without symbols.
StepExpr toStepExpr(mlir::AffineExpr expr);

// A guard as the set of steps (pos, q) that it lets through, and back. The way back puts constants into the ranges and joins
// the ranges of one expression, so "q - 2 >= 0" and "4 - q >= 0" are 2 <= q <= 4 again.
mlir::FailureOr<mlir::IntegerSet> toIntegerSet(const StepGuard &guard, mlir::MLIRContext *context);
StepGuard toStepGuard(mlir::IntegerSet set);

} // namespace ds4
