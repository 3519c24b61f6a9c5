#include <llvm/ADT/DenseMap.h>

#include "ir/Ds4Ops.h"
#include "passes/Passes.h"
#include "passes/StepMemory.h"

namespace ds4 {

#define GEN_PASS_DEF_CHECKMEMORY
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

// The arena as the step proceeds: which values are intact, and who overwrote the others.
class Arena {
public:
  Arena(int64_t maxWidth, int64_t scratchBytes) : maxWidth_(maxWidth), scratchBytes_(scratchBytes) {}

  LogicalResult write(Value value, Operation *writer) {
    std::optional<int64_t> begin = placeOf(value);
    FailureOr<int64_t> bytes = bytesOf(value, maxWidth_);
    if (failed(bytes))
      return failure();
    if (!begin || *begin < 0)
      return emitError(value.getLoc()) << "a tensor has no place in the arena: run ds4-plan-memory first";
    if (*begin < scratchBytes_)
      return emitError(value.getLoc()) << "a tensor lies at offset " << *begin << ", within the scratch of " << scratchBytes_
                                       << " bytes";
    const int64_t end = *begin + *bytes;
    llvm::erase_if(intact_, [&](const Claim &claim) {
      const bool hit = claim.begin < end && *begin < claim.end;
      if (hit)
        overwritten_[claim.value] = writer;
      return hit;
    });
    intact_.push_back({*begin, end, value});
    return success();
  }

  // The op that wrote over the value, null while it is intact.
  Operation *writerOver(Value value) const { return overwritten_.lookup(value); }

private:
  struct Claim {
    int64_t begin, end;
    Value value;
  };
  int64_t maxWidth_, scratchBytes_;
  SmallVector<Claim> intact_;
  llvm::DenseMap<Value, Operation *> overwritten_;
};

struct CheckMemory : impl::CheckMemoryBase<CheckMemory> {
  using CheckMemoryBase::CheckMemoryBase;
  void runOnOperation() override {
    if (failed(checkStateVersions(getOperation())) || failed(checkPlaces(getOperation(), maxWidth)))
      signalPassFailure();
  }
};

} // namespace

static LogicalResult checkIntact(Operation *op, const Arena &arena) {
  for (Value operand : op->getOperands())
    if (Operation *writer = arena.writerOver(memoryOwner(operand)))
      return op->emitOpError() << (writer == op ? "writes into the place of its operand of type "
                                                : "reads a tensor whose place was overwritten, of type ")
                               << operand.getType() << " at offset " << *placeOf(operand);
  return success();
}

LogicalResult checkPlaces(func::FuncOp function, int64_t maxWidth) {
  if (int64_t needed = neededScratchBytes(function); needed > plannedScratchBytes(function))
    return function.emitOpError() << "has launches that use " << needed << " bytes of scratch, but "
                                  << plannedScratchBytes(function) << " are planned";
  Arena arena(maxWidth, plannedScratchBytes(function));
  for (BlockArgument argument : function.getArguments())
    if (needsPlace(argument) && failed(arena.write(argument, function)))
      return failure();
  for (Operation &op : function.getOps()) {
    if (isa<ReshapeOp>(op))
      continue;
    if (failed(checkIntact(&op, arena)))
      return failure();
    for (OpResult result : op.getResults())
      if (needsPlace(result) && failed(arena.write(result, &op)))
        return failure();
    if (failed(checkIntact(&op, arena)))
      return failure();
    for (OpResult result : op.getResults())
      if (arena.writerOver(result))
        return op.emitOpError() << "has results whose places overlap";
  }
  return success();
}

static std::string stateName(func::FuncOp function, Value buffer) {
  auto argument = dyn_cast<BlockArgument>(buffer);
  auto name = argument ? function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), Ds4Dialect::kName) : StringAttr();
  return name ? name.str() : "without a name";
}

LogicalResult checkStateVersions(func::FuncOp function) {
  llvm::DenseMap<Value, Value> bufferOf, newest;
  auto addVersion = [&](Value version, Value buffer) { newest[bufferOf[version] = buffer] = version; };
  for (BlockArgument argument : function.getArguments())
    if (isa<StateType>(argument.getType()))
      addVersion(argument, argument);
  for (Operation &op : function.getOps()) {
    for (OpOperand &operand : op.getOpOperands()) {
      if (!isa<StateType>(operand.get().getType()))
        continue;
      Value buffer = bufferOf.lookup(operand.get());
      if (Value latest = newest.lookup(buffer); latest != operand.get()) {
        InFlightDiagnostic error = op.emitOpError() << "uses an old version of state '" << stateName(function, buffer) << "'";
        error.attachNote(latest.getLoc()) << "a newer version is written here";
        return error;
      }
      if (!isa<func::ReturnOp>(op))
        continue;
      auto name = function.getResultAttrOfType<StringAttr>(operand.getOperandNumber(), Ds4Dialect::kName);
      if (name && name != stateName(function, buffer))
        return op.emitOpError() << "returns state '" << stateName(function, buffer) << "' under the name " << name;
    }
    for (OpResult result : op.getResults())
      if (Value updated = updatedState(result))
        addVersion(result, bufferOf.lookup(updated));
  }
  return success();
}

} // namespace ds4
