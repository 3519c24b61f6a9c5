#include "ir/StepExprAffine.h"

#include <llvm/ADT/SmallVector.h>

namespace ds4 {

using namespace mlir;

using Op = StepExpr::Op;

static FailureOr<AffineExpr> combine(Op op, AffineExpr lhs, AffineExpr rhs) {
  const auto constant = dyn_cast<AffineConstantExpr>(rhs);
  switch (op) {
  case Op::Add:
    return lhs + rhs;
  case Op::Sub:
    return lhs - rhs;
  case Op::Mul:
    if (!constant && !isa<AffineConstantExpr>(lhs))
      return failure();
    return lhs * rhs;
  default:
    if (!constant || constant.getValue() <= 0)
      return failure();
    return op == Op::FloorDiv ? lhs.floorDiv(rhs) : op == Op::CeilDiv ? lhs.ceilDiv(rhs) : lhs % rhs;
  }
}

FailureOr<AffineExpr> toAffineExpr(const StepExpr &expr, MLIRContext *context) {
  SmallVector<AffineExpr> stack;
  for (const StepExpr::Node &node : expr.nodes()) {
    if (node.op == Op::Constant) {
      stack.push_back(getAffineConstantExpr(node.value, context));
    } else if (node.op == Op::Pos || node.op == Op::Q) {
      stack.push_back(getAffineDimExpr(node.op == Op::Q, context));
    } else {
      AffineExpr rhs = stack.pop_back_val();
      FailureOr<AffineExpr> combined = combine(node.op, stack.back(), rhs);
      if (failed(combined))
        return failure();
      stack.back() = *combined;
    }
  }
  return stack.back();
}

StepExpr toStepExpr(AffineExpr expr) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return StepExpr(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dim.getPosition() == 0 ? StepExpr::pos() : StepExpr::q();
  auto binary = cast<AffineBinaryOpExpr>(expr);
  StepExpr lhs = toStepExpr(binary.getLHS()), rhs = toStepExpr(binary.getRHS());
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return lhs + rhs;
  case AffineExprKind::Mul:
    return lhs * rhs;
  case AffineExprKind::FloorDiv:
    return lhs.floorDiv(rhs);
  case AffineExprKind::CeilDiv:
    return lhs.ceilDiv(rhs);
  default:
    return lhs.mod(rhs);
  }
}

} // namespace ds4
