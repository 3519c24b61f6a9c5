#include "passes/StepMemory.h"

#include "ir/Ds4Ops.h"

namespace ds4 {

using namespace mlir;

bool areOfStep(Value ids) {
  auto argument = dyn_cast<BlockArgument>(ids);
  if (!argument)
    return false;
  auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  auto name = function ? function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), Ds4Dialect::kName) : StringAttr();
  return !name || name.getValue() != Ds4Dialect::kIdsInput;
}

SmallVector<Value> kernelOperands(Operation *op) {
  SmallVector<Value> operands;
  if (auto launch = dyn_cast<LaunchOp>(op))
    return launch.getInputs();
  if (auto shared = dyn_cast<SharedLaunchOp>(op)) {
    for (Operation *part : shared.getParts())
      for (Value operand : llvm::map_range(kernelOperands(part), memoryOwner))
        if (operand.getParentRegion() != &shared.getBody() && !llvm::is_contained(operands, operand))
          operands.push_back(operand);
    return operands;
  }
  auto primitive = dyn_cast<PrimitiveOpInterface>(op);
  if (!primitive)
    return operands;
  Value tokens = primitive.getOperandNamed("tokens");
  for (Value operand : op->getOperands())
    if ((operand != tokens || !areOfStep(tokens)) && !isa<IndexType>(operand.getType()))
      operands.push_back(operand);
  return operands;
}

Value memoryOwner(Value value) {
  while (auto view = value.getDefiningOp<ReshapeOp>())
    value = view.getX();
  return value;
}

static bool isRead(Value value) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    if (isa<ReshapeOp>(user))
      return isRead(user->getResult(0));
    return isa<func::ReturnOp>(user) || llvm::is_contained(kernelOperands(user), value);
  });
}

bool needsPlace(Value value) {
  if (!isa<RankedTensorType>(value.getType()) || value.getDefiningOp<ReshapeOp>())
    return false;
  return isa<OpResult>(value) || isRead(value);
}

FailureOr<int64_t> bytesOf(Value tensor, int64_t maxWidth) {
  auto type = cast<RankedTensorType>(tensor.getType());
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  for (auto [index, size] : llvm::enumerate(type.getShape())) {
    if (!ShapedType::isDynamic(size)) {
      bytes *= size;
      continue;
    }
    if (index == 0) {
      bytes *= maxWidth;
      continue;
    }
    Operation *op = tensor.getDefiningOp();
    auto isIndexer = [](Value operand) {
      auto state = dyn_cast<StateType>(operand.getType());
      return state && state.getKind() == StateKind::Indexer;
    };
    if (!op)
      return emitError(tensor.getLoc()) << "no state bounds the dynamic columns of an argument of type " << tensor.getType();
    auto rows = llvm::find_if(op->getOperands(), isIndexer);
    if (rows == op->operand_end())
      return op->emitOpError() << "no state bounds the dynamic columns of its result " << tensor.getType();
    bytes *= cast<StateType>((*rows).getType()).getRows();
  }
  return bytes;
}

Value updatedState(OpResult result) {
  if (auto launch = dyn_cast<LaunchOp>(result.getOwner())) {
    int64_t operand = launch.getUpdates()[result.getResultNumber()];
    return operand < 0 ? Value() : launch.getInputs()[operand];
  }
  if (auto shared = dyn_cast<SharedLaunchOp>(result.getOwner()))
    return updatedState(shared.getYielded(result.getResultNumber()));
  auto primitive = dyn_cast<PrimitiveOpInterface>(result.getOwner());
  OpOperand *operand = primitive ? primitive.getUpdatedOperand(result.getResultNumber()) : nullptr;
  return operand ? operand->get() : Value();
}

std::optional<int64_t> placeOf(Value tensor) {
  tensor = memoryOwner(tensor);
  if (auto argument = dyn_cast<BlockArgument>(tensor)) {
    auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
    auto offset = function.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), Ds4Dialect::kOffset);
    return offset ? std::optional(offset.getInt()) : std::nullopt;
  }
  auto offsets = tensor.getDefiningOp()->getAttrOfType<DenseI64ArrayAttr>(Ds4Dialect::kOffsets);
  return offsets ? std::optional(offsets[cast<OpResult>(tensor).getResultNumber()]) : std::nullopt;
}

int64_t plannedScratchBytes(func::FuncOp function) {
  auto bytes = function->getAttrOfType<IntegerAttr>(Ds4Dialect::kScratchBytes);
  return bytes ? bytes.getInt() : 0;
}

int64_t neededScratchBytes(func::FuncOp function) {
  int64_t bytes = 0;
  for (auto launch : function.getOps<LaunchOp>())
    bytes = std::max(bytes, launch.getScratchBytes());
  return bytes;
}

} // namespace ds4
