// The bridge from the IR to the emitters: reads the shapes that specialise a kernel off an op.
#pragma once

#include <mlir/IR/Operation.h>

#include "codegen/KernelSpec.h"

namespace ds4 {

// The kernel of a primitive op or of a shared launch. Throws ds4::Error (User) when its emitter refuses the shape or format.
KernelSpec emitKernelOf(mlir::Operation *op);

} // namespace ds4
