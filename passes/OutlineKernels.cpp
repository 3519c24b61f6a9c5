#include <llvm/ADT/MapVector.h>

#include "ir/Ds4Ops.h"
#include "ir/StepExprAffine.h"
#include "passes/KernelEmission.h"
#include "passes/Passes.h"
#include "passes/StepMemory.h"
#include "support/Error.h"

namespace ds4 {

#define GEN_PASS_DEF_OUTLINEKERNELS
#include "passes/Passes.h.inc"

using namespace mlir;

static FailureOr<KernelSpec> kernelOf(Operation *op, Products products) {
  try {
    return emitKernelOf(op, products);
  } catch (const Error &error) {
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

static void replaceByLaunch(Operation *op, const KernelSpec &kernel, AffineMap grid) {
  SmallVector<Value> operands = kernelOperands(op);
  SmallVector<int64_t> updates;
  for (OpResult result : op->getResults()) {
    Value state = updatedState(result);
    updates.push_back(state ? std::distance(operands.begin(), llvm::find(operands, state)) : -1);
  }
  OpBuilder builder(op);
  IntegerAttr scratch = kernel.scratchBytes ? builder.getI64IntegerAttr(kernel.scratchBytes) : IntegerAttr();
  auto launch = LaunchOp::create(builder, op->getLoc(), op->getResultTypes(), kernel.symbol, grid, updates, scratch, operands);
  launch->setDiscardableAttrs(llvm::to_vector(op->getDiscardableAttrs()));
  op->replaceAllUsesWith(launch);
  op->erase();
}

namespace {

struct OutlineKernels : impl::OutlineKernelsBase<OutlineKernels> {
  using OutlineKernelsBase::OutlineKernelsBase;

  void runOnOperation() override {
    // All kernels are emitted before any op is replaced: a shape may depend on the ops around.
    SmallVector<std::pair<Operation *, AffineMap>> ops;
    SmallVector<std::string> symbols;
    llvm::MapVector<StringRef, KernelSpec> kernels;
    const WalkResult emitted = getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) -> WalkResult {
      if (!isa<PrimitiveOpInterface, SharedLaunchOp>(op))
        return WalkResult::advance();
      FailureOr<KernelSpec> kernel = kernelOf(op, exactProducts ? Products::Exact : Products::Fast);
      if (failed(kernel))
        return failure();
      FailureOr<AffineMap> grid = gridOf(op, *kernel);
      if (failed(grid))
        return failure();
      StringRef symbol = StringAttr::get(op->getContext(), kernel->symbol).getValue();
      ops.push_back({op, *grid});
      symbols.push_back(kernel->symbol);
      auto [known, isNew] = kernels.insert({symbol, *kernel});
      if (!isNew && known->second.source != kernel->source)
        return op->emitOpError() << "its kernel has the symbol '" << symbol << "' of another one";
      return WalkResult::skip(); // parts of a shared launch have no launch of their own
    });
    if (emitted.wasInterrupted())
      return signalPassFailure();

    addKernels(kernels);
    for (auto [op, symbol] : llvm::zip_equal(ops, symbols))
      replaceByLaunch(op.first, kernels[symbol], op.second);
  }

  void addKernels(const llvm::MapVector<StringRef, KernelSpec> &kernels) {
    OpBuilder builder = OpBuilder::atBlockBegin(getOperation().getBody());
    for (const auto &[symbol, kernel] : kernels)
      KernelOp::create(builder, builder.getUnknownLoc(), symbol, kernel.op, kernel.block, kernel.budget.vgprs,
                       kernel.budget.ldsBytes, kernel.source);
  }
};

} // namespace
} // namespace ds4
