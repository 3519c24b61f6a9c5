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

FailureOr<IntegerSet> toIntegerSet(const StepGuard &guard, MLIRContext *context) {
  SmallVector<AffineExpr> constraints;
  SmallVector<bool> isEquality;
  auto require = [&](AffineExpr expr, bool equality) {
    constraints.push_back(expr);
    isEquality.push_back(equality);
  };
  for (const StepRange &range : guard.ranges) {
    FailureOr<AffineExpr> value = toAffineExpr(range.value, context);
    if (failed(value))
      return failure();
    if (range.least == range.most) {
      require(*value - range.least, true);
      continue;
    }
    if (range.least != StepRange::kNoLeast)
      require(*value - range.least, false);
    if (range.most != StepRange::kNoMost)
      require(range.most - *value, false);
  }
  if (constraints.empty()) // a set has one constraint at least
    require(getAffineConstantExpr(0, context), true);
  return IntegerSet::get(/*dimCount=*/2, /*symbolCount=*/0, constraints, isEquality);
}

// A sum without its constant, which is added to `constant`.
static AffineExpr withoutConstant(AffineExpr expr, int64_t &constant) {
  if (auto value = dyn_cast<AffineConstantExpr>(expr)) {
    constant += value.getValue();
    return getAffineConstantExpr(0, expr.getContext());
  }
  auto sum = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!sum || sum.getKind() != AffineExprKind::Add)
    return expr;
  return withoutConstant(sum.getLHS(), constant) + withoutConstant(sum.getRHS(), constant);
}

// Whether a sum reads better with its sign turned: its first term has a negative factor.
static bool isNegative(AffineExpr expr) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  if (binary.getKind() == AffineExprKind::Add)
    return isNegative(binary.getLHS());
  auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  return binary.getKind() == AffineExprKind::Mul && factor && factor.getValue() < 0;
}

StepGuard toStepGuard(IntegerSet set) {
  StepGuard guard;
  for (auto [index, constraint] : llvm::enumerate(set.getConstraints())) {
    int64_t constant = 0;
    AffineExpr expr = withoutConstant(constraint, constant);
    if (expr == 0 && (set.isEq(index) ? constant == 0 : constant >= 0))
      continue; // holds always
    const bool turned = isNegative(expr);
    StepRange range{.value = toStepExpr(turned ? -expr : expr)};
    if (set.isEq(index) || !turned)
      range.least = turned ? constant : -constant;
    if (set.isEq(index) || turned)
      range.most = turned ? constant : -constant;
    auto known = llvm::find_if(guard.ranges, [&](const StepRange &other) { return other.value == range.value; });
    if (known == guard.ranges.end()) {
      guard.ranges.push_back(std::move(range));
    } else {
      known->least = std::max(known->least, range.least);
      known->most = std::min(known->most, range.most);
    }
  }
  return guard;
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
