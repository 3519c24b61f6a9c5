// Makes ops share a launch: what passes that choose such ops have in common.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <mlir/IR/Location.h>
#include <mlir/IR/Operation.h>

namespace ds4 {

// Puts the ops into one ds4.shared_launch, roots in the order of their workgroups before tails in the order of their work. It
// stands where the first of them stood, so all that they read from outside must be there; weights are moved there. Its results keep
// the places of the ops that they come from.
void shareLaunch(llvm::ArrayRef<mlir::Operation *> parts, mlir::Location location);

} // namespace ds4
