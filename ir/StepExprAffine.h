// Step expressions as affine expressions of (pos, q) = (d0, d1), and back.
#pragma once

#include <mlir/IR/AffineExpr.h>
#include <mlir/IR/AffineMap.h>

#include "support/StepExpr.h"

namespace ds4 {

// Fails for an expression that is not affine: a product of scalars or a division by one.
mlir::FailureOr<mlir::AffineExpr> toAffineExpr(const StepExpr &expr, mlir::MLIRContext *context);

// Total over expressions of two dimensions without symbols.
StepExpr toStepExpr(mlir::AffineExpr expr);

} // namespace ds4
