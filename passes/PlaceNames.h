// Places of the model as the locations of ops: "blk.3.attn.q_a".
#pragma once

#include <string>

#include <mlir/IR/Operation.h>

namespace ds4 {

// The place of an op, "" without one.
std::string placeName(mlir::Operation *op);

// The name of a result: the place of its op, "blk.3.attn.router", and from the second on its number, "blk.3.attn.router#1".
std::string resultName(mlir::OpResult result);

// The place `name` in the sub-layer of an op: of "blk.3.attn.norm" and "hc_site", "blk.3.attn.hc_site".
mlir::Location placeBeside(mlir::Operation *op, llvm::StringRef name);

} // namespace ds4
