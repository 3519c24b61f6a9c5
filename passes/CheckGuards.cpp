#include <vector>

#include <llvm/ADT/DenseSet.h>
#include <mlir/Analysis/FlatLinearValueConstraints.h>
#include <mlir/Analysis/Presburger/PresburgerRelation.h>
#include <mlir/IR/IntegerSet.h>

#include "codegen/kernels/step.h"
#include "ir/Ds4Ops.h"
#include "passes/Passes.h"

namespace ds4 {

#define GEN_PASS_DEF_CHECKGUARDS
#include "passes/Passes.h.inc"

using namespace mlir;
using presburger::IntegerPolyhedron;
using presburger::PresburgerSet;

static PresburgerSet stepsOf(IntegerSet set) {
  const FlatLinearValueConstraints constraints(set);
  return PresburgerSet(IntegerPolyhedron(constraints));
}

// All steps that a plan may be asked for.
static PresburgerSet allSteps(MLIRContext *context) {
  constexpr int64_t kMostPositions = int64_t(1) << 20;
  const AffineExpr pos = getAffineDimExpr(0, context), q = getAffineDimExpr(1, context);
  const AffineExpr bounds[] = {pos, kMostPositions - 1 - pos, q - 1, kMaxWidth - q};
  return stepsOf(IntegerSet::get(/*dimCount=*/2, /*symbolCount=*/0, bounds, SmallVector<bool>(4, false)));
}

// Some step of the set, "pos = 4, q = 2"; nothing when it is empty.
static std::optional<std::string> exampleOf(PresburgerSet steps) {
  SmallVector<llvm::DynamicAPInt> point;
  if (!steps.findIntegerSample(point))
    return std::nullopt;
  return ("pos = " + Twine(int64_t(point[0])) + ", q = " + Twine(int64_t(point[1]))).str();
}

static std::string nameOf(VariantAttr variant) {
  return (variant.getName() ? variant.getName().getValue() : variant.getKernel().getValue()).str();
}

static LogicalResult checkTotalAndDisjoint(LaunchOp launch, ArrayRef<VariantAttr> variants) {
  const PresburgerSet all = allSteps(launch.getContext());
  std::vector<PresburgerSet> steps;
  for (VariantAttr variant : variants)
    steps.push_back(variant.getGuard() ? all.intersect(stepsOf(variant.getGuard().getValue())) : all);

  PresburgerSet left = all;
  for (const PresburgerSet &taken : steps)
    left = left.subtract(taken);
  if (std::optional<std::string> example = exampleOf(left))
    return launch.emitOpError() << "guards leave out a step: no variant is for " << *example;

  for (size_t i = 0; i < variants.size(); ++i)
    for (size_t k = 0; k < i; ++k)
      if (std::optional<std::string> example = exampleOf(steps[i].intersect(steps[k])))
        return launch.emitOpError() << "guards overlap: variants '" << nameOf(variants[k]) << "' and '" << nameOf(variants[i])
                                    << "' are both for " << *example;
  return success();
}

static LogicalResult checkOrderOfSums(LaunchOp launch, ArrayRef<VariantAttr> variants) {
  for (VariantAttr variant : variants)
    if (variant.getReassociating() && variant.getGuard() &&
        llvm::any_of(variant.getGuard().getValue().getConstraints(),
                     [](AffineExpr constraint) { return constraint.isFunctionOfDim(1); }))
      return launch.emitOpError()
             << "variant '" << nameOf(variant)
             << "' adds up in another order and is chosen by q: a token's bits would depend on the tokens beside it";
  return success();
}

namespace {

struct CheckGuards : impl::CheckGuardsBase<CheckGuards> {
  void runOnOperation() override {
    llvm::DenseSet<ArrayAttr> proven; // guards of a few kinds serve hundreds of launches
    for (auto launch : getOperation().getOps<LaunchOp>()) {
      const SmallVector<VariantAttr> variants = llvm::to_vector(launch.getVariants().getAsRange<VariantAttr>());
      SmallVector<Attribute> guards;
      for (VariantAttr variant : variants)
        guards.push_back(variant.getGuard() ? Attribute(variant.getGuard()) : UnitAttr::get(&getContext()));
      if (failed(checkOrderOfSums(launch, variants)))
        return signalPassFailure();
      if (!proven.insert(ArrayAttr::get(&getContext(), guards)).second)
        continue;
      if (failed(checkTotalAndDisjoint(launch, variants)))
        return signalPassFailure();
    }
  }
};

} // namespace
} // namespace ds4
