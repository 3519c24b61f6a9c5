// What memory the values of a step function need, the same for primitive ops and for launches.
#pragma once

#include <optional>

#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/IR/Operation.h>

namespace ds4 {

// A tensor that needs a place: the result of an op that is no view, or an argument that a kernel reads or that is
// returned.
bool needsPlace(mlir::Value value);

// Follows views (ds4.reshape) to the value whose memory they share.
mlir::Value memoryOwner(mlir::Value value);

// Bytes of a tensor in a step of `maxWidth` tokens. A dynamic size other than the tokens is the capacity of the
// indexer state among the operands of the op that makes it. Fails, with an error on that op, when there is none.
mlir::FailureOr<int64_t> bytesOf(mlir::Value tensor, int64_t maxWidth);

// The state operand whose buffer a result is; null for a tensor.
mlir::Value updatedState(mlir::OpResult result);

// Ids that stand in the step block: an argument of the step function. Others are made by the step.
bool areOfStep(mlir::Value ids);

// Operands that a kernel gets as pointers: all but the scalars and tokens of the step block. None for ops without one. A shared
// launch gets what its parts read of the values outside, each once.
llvm::SmallVector<mlir::Value> kernelOperands(mlir::Operation *op);

// Where planning put a tensor: its byte offset in the arena. Nothing when the function has not been planned.
std::optional<int64_t> placeOf(mlir::Value tensor);

// Bytes at the start of the arena that launches use as scratch: as planned, and as the step's launches want it.
int64_t plannedScratchBytes(mlir::func::FuncOp function);
int64_t neededScratchBytes(mlir::func::FuncOp function);

// The two halves of `ds4-check-memory`; a violation is an error on the op that reads or returns.
// No op uses a version of a state of which a newer one exists, and states are returned under their own names.
mlir::LogicalResult checkStateVersions(mlir::func::FuncOp function);
// Every tensor that is read still lies in its place.
mlir::LogicalResult checkPlaces(mlir::func::FuncOp function, int64_t maxWidth);

} // namespace ds4
