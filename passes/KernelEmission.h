// The bridge from the IR to the emitters: reads the shapes that specialise a kernel off an op.
#pragma once

#include <mlir/IR/Operation.h>

#include "codegen/KernelSpec.h"

namespace ds4 {

// Which products kernels make: all in single precision, or in half precision where a fast kernel exists.
enum class Products { Exact, Fast };

// The kernel of a primitive op or of a shared launch. Throws ds4::Error (User) when its emitter refuses the shape or format.
KernelSpec emitKernelOf(mlir::Operation *op, Products products);

// Whether that kernel rounds activations of one of its products to half precision.
bool roundsActivations(mlir::Operation *op, Products products);

} // namespace ds4
