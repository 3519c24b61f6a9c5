#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/StringExtras.h>

#include "ir/Ds4Ops.h"
#include "ir/StepExprAffine.h"
#include "passes/KernelEmission.h"
#include "passes/Passes.h"
#include "passes/PlaceNames.h"
#include "passes/StepMemory.h"
#include "support/Error.h"

namespace ds4 {

#define GEN_PASS_DEF_OUTLINEKERNELS
#include "passes/Passes.h.inc"

using namespace mlir;

// The weights of an op whose format an error names, "blk.0.attn_norm.weight, ..."; without any, the op's place.
static std::string blamed(Operation *op, StringRef error) {
  SmallVector<std::string> names;
  for (Value operand : kernelOperands(op))
    if (auto weight = operand.getDefiningOp<WeightOp>()) {
      const StringRef format = formatOf(cast<QuantizedType>(weight.getType()).getFormat()).name;
      if (error.contains(("'" + format + "'").str()) || error.contains(("format " + format + ":").str()))
        names.push_back(weight.getWeight().str());
    }
  return names.empty() ? placeName(op) : llvm::join(names, ", ");
}

static FailureOr<KernelSpec> kernelOf(Operation *op, const KernelChoice &choice) {
  try {
    return emitKernelOf(op, choice);
  } catch (const Error &error) {
    if (error.code() == ExitCode::User) {
      const std::string refusal = blamed(op, error.what()) + ": " + error.what() + " (`ds4c quantize` changes formats)";
      op->getParentOfType<ModuleOp>()->setAttr(kRefusalAttribute, StringAttr::get(op->getContext(), refusal));
    }
    return op->emitOpError() << error.what();
  }
}

static FailureOr<AffineMap> gridOf(Operation *op, const KernelSpec &kernel) {
  SmallVector<AffineExpr, 3> workgroups;
  for (const StepExpr &expr : kernel.grid) {
    FailureOr<AffineExpr> affine = toAffineExpr(expr, op->getContext());
    if (failed(affine))
      return op->emitOpError() << "the grid of kernel '" << kernel.symbol << "' is not affine in pos and q: " << expr.toString();
    workgroups.push_back(*affine);
  }
  return AffineMap::get(/*dimCount=*/2, /*symbolCount=*/0, workgroups, op->getContext());
}

// What ds4-select-schedules chose; one without a name where there is nothing to choose.
static SmallVector<ScheduleAttr> schedulesAt(Operation *op) {
  if (auto schedules = op->getAttrOfType<ArrayAttr>(Ds4Dialect::kSchedules))
    return llvm::to_vector(schedules.getAsRange<ScheduleAttr>());
  return {ScheduleAttr()};
}

// A schedule's name for people: "columns 4".
static StringAttr nameOf(ScheduleAttr schedule) {
  if (!schedule || !schedule.getValue())
    return schedule ? schedule.getName() : StringAttr();
  return StringAttr::get(schedule.getContext(), schedule.getName().getValue() + " " + Twine(schedule.getValue()));
}

static void replaceByLaunch(Operation *op, ArrayRef<Attribute> variants) {
  SmallVector<Value> operands = kernelOperands(op);
  SmallVector<int64_t> updates;
  for (OpResult result : op->getResults()) {
    Value state = updatedState(result);
    updates.push_back(state ? std::distance(operands.begin(), llvm::find(operands, state)) : -1);
  }
  OpBuilder builder(op);
  auto launch = LaunchOp::create(builder, op->getLoc(), op->getResultTypes(), builder.getArrayAttr(variants), updates, operands);
  launch->setDiscardableAttrs(llvm::to_vector(op->getDiscardableAttrs()));
  launch->removeDiscardableAttr(Ds4Dialect::kSchedules);
  op->replaceAllUsesWith(launch);
  op->erase();
}

namespace {

struct OutlineKernels : impl::OutlineKernelsBase<OutlineKernels> {
  using OutlineKernelsBase::OutlineKernelsBase;

  void runOnOperation() override {
    // All kernels are emitted before any op is replaced: a shape may depend on the ops around.
    SmallVector<std::pair<Operation *, SmallVector<Attribute>>> ops;
    Kernels kernels;
    const WalkResult emitted = getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) -> WalkResult {
      if (!isa<PrimitiveOpInterface, SharedLaunchOp>(op))
        return WalkResult::advance();
      auto &variants = ops.emplace_back(op, SmallVector<Attribute>()).second;
      for (ScheduleAttr schedule : schedulesAt(op)) {
        FailureOr<VariantAttr> variant = variantOf(op, schedule, kernels);
        if (failed(variant))
          return failure();
        variants.push_back(*variant);
      }
      return WalkResult::skip(); // parts of a shared launch have no launch of their own
    });
    if (emitted.wasInterrupted())
      return signalPassFailure();

    addKernels(kernels);
    for (auto &[op, variants] : ops)
      replaceByLaunch(op, variants);
  }

  using Kernels = llvm::MapVector<StringRef, KernelSpec>; // by symbol

  FailureOr<VariantAttr> variantOf(Operation *op, ScheduleAttr schedule, Kernels &kernels) {
    KernelChoice choice{
        .products = exactProducts ? Products::Exact : Products::Fast, .fineGrids = fineGrids, .clusters = clusters, .chunk = chunk};
    if (schedule)
      choice.schedule = schedule.getName().str(), choice.value = static_cast<int>(schedule.getValue());
    FailureOr<KernelSpec> kernel = kernelOf(op, choice);
    if (failed(kernel))
      return failure();
    FailureOr<AffineMap> grid = gridOf(op, *kernel);
    if (failed(grid))
      return failure();
    auto symbol = FlatSymbolRefAttr::get(op->getContext(), kernel->symbol);
    auto [known, isNew] = kernels.insert({symbol.getValue(), *kernel});
    if (!isNew && known->second.source != kernel->source)
      return op->emitOpError() << "its kernel has the symbol '" << symbol.getValue() << "' of another one";
    return VariantAttr::get(op->getContext(), symbol, AffineMapAttr::get(*grid), kernel->scratchBytes,
                            schedule ? schedule.getGuard() : IntegerSetAttr(), nameOf(schedule),
                            schedule ? schedule.getReason() : StringAttr(), schedule && schedule.getReassociating());
  }

  void addKernels(const Kernels &kernels) {
    OpBuilder builder = OpBuilder::atBlockBegin(getOperation().getBody());
    for (const auto &[symbol, kernel] : kernels)
      KernelOp::create(builder, builder.getUnknownLoc(), symbol, kernel.op, kernel.block, kernel.budget.vgprs,
                       kernel.budget.ldsBytes, kernel.source);
  }
};

} // namespace
} // namespace ds4
