#include <limits>

#include <llvm/ADT/MapVector.h>
#include <llvm/Support/MathExtras.h>

#include "ir/Ds4Ops.h"
#include "passes/Passes.h"
#include "passes/StepMemory.h"

namespace ds4 {

#define GEN_PASS_DEF_PLANMEMORY
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

// A tensor's life in op numbers, both ends included: an op's results never share memory with its operands.
struct Lifetime {
  int64_t begin, end;
  int64_t bytes;
};

// In order of definition.
using Lifetimes = llvm::MapVector<Value, Lifetime>;

FailureOr<Lifetimes> lifetimesOf(func::FuncOp function, int64_t maxWidth) {
  Lifetimes lifetimes;
  auto define = [&](Value value, int64_t at) -> LogicalResult {
    if (!needsPlace(value))
      return success();
    FailureOr<int64_t> bytes = bytesOf(value, maxWidth);
    if (succeeded(bytes))
      lifetimes[value] = {at, at, *bytes};
    return failure(failed(bytes));
  };
  for (BlockArgument argument : function.getArguments())
    if (failed(define(argument, -1)))
      return failure();
  for (auto [number, op] : llvm::enumerate(function.getOps())) {
    for (Value operand : op.getOperands())
      if (auto read = lifetimes.find(memoryOwner(operand)); read != lifetimes.end() && !isa<ReshapeOp>(op))
        read->second.end = number;
    for (OpResult result : op.getResults())
      if (failed(define(result, number)))
        return failure();
  }
  return lifetimes;
}

// Hands out the lowest free place. Places of values whose life is over are free again.
class FirstFit {
public:
  FirstFit(int64_t alignment, bool reuse) : alignment_(alignment), reuse_(reuse) {}

  int64_t place(const Lifetime &lifetime) {
    if (reuse_)
      llvm::erase_if(taken_, [&](const Taken &other) { return other.lastUse < lifetime.begin; });
    int64_t offset = 0;
    auto next = taken_.begin();
    for (; next != taken_.end() && next->begin < offset + lifetime.bytes; ++next)
      offset = llvm::alignTo(next->end, alignment_);
    taken_.insert(next, {offset, offset + lifetime.bytes, lifetime.end});
    arenaBytes_ = std::max<int64_t>(arenaBytes_, llvm::alignTo(offset + lifetime.bytes, alignment_));
    return offset;
  }

  int64_t arenaBytes() const { return arenaBytes_; }

private:
  struct Taken {
    int64_t begin, end, lastUse;
  };
  int64_t alignment_;
  bool reuse_;
  int64_t arenaBytes_ = 0;
  SmallVector<Taken> taken_; // by address
};

struct PlanMemory : impl::PlanMemoryBase<PlanMemory> {
  using PlanMemoryBase::PlanMemoryBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    if (maxWidth <= 0 || alignment <= 0) {
      function.emitOpError() << "max-width and alignment must be positive, got " << maxWidth << " and " << alignment;
      return signalPassFailure();
    }
    if (!function.getBody().hasOneBlock()) {
      function.emitOpError() << "a step function has one block, got " << function.getBody().getBlocks().size();
      return signalPassFailure();
    }
    if (auto shared = function.getOps<SharedLaunchOp>(); !shared.empty()) {
      (*shared.begin())->emitOpError() << "has no kernel yet: run ds4-outline-kernels first";
      return signalPassFailure();
    }
    if (failed(checkStateVersions(function)))
      return signalPassFailure();
    FailureOr<Lifetimes> lifetimes = lifetimesOf(function, maxWidth);
    if (failed(lifetimes))
      return signalPassFailure();

    FirstFit arena(alignment, !noReuse);
    const int64_t scratchBytes = neededScratchBytes(function);
    if (scratchBytes)
      arena.place({-1, std::numeric_limits<int64_t>::max(), scratchBytes});
    llvm::DenseMap<Value, int64_t> places;
    for (auto &[value, lifetime] : *lifetimes)
      places[value] = arena.place(lifetime);
    annotate(function, places, arena.arenaBytes());
    if (scratchBytes)
      function->setAttr(Ds4Dialect::kScratchBytes, Builder(&getContext()).getI64IntegerAttr(scratchBytes));
    if (failed(checkPlaces(function, maxWidth)))
      signalPassFailure();
  }

  void annotate(func::FuncOp function, const llvm::DenseMap<Value, int64_t> &places, int64_t arenaBytes) {
    Builder builder(&getContext());
    function->setAttr(Ds4Dialect::kArenaBytes, builder.getI64IntegerAttr(arenaBytes));
    for (BlockArgument argument : function.getArguments())
      if (auto place = places.find(argument); place != places.end())
        function.setArgAttr(argument.getArgNumber(), Ds4Dialect::kOffset, builder.getI64IntegerAttr(place->second));
    for (Operation &op : function.getOps()) {
      if (!isa<PrimitiveOpInterface, LaunchOp>(op))
        continue;
      SmallVector<int64_t> offsets;
      for (OpResult result : op.getResults()) {
        auto place = places.find(result);
        offsets.push_back(place == places.end() ? -1 : place->second);
      }
      op.setAttr(Ds4Dialect::kOffsets, builder.getDenseI64ArrayAttr(offsets));
    }
  }
};

} // namespace
} // namespace ds4
