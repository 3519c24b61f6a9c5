// The bridge from the IR to the emitters: the kernel of an op, its schedules, and what kernels can do (passes/KernelShapes.h has
// the shapes that specialise them).
#pragma once

#include <optional>
#include <vector>

#include <mlir/IR/Operation.h>

#include "codegen/KernelSpec.h"
#include "codegen/emitters/ActivationCost.h"
#include "codegen/emitters/Schedules.h"
#include "ir/Ds4Ops.h"
#include "passes/KernelChoice.h"

namespace ds4 {

// The schedules of a primitive op or of a shared launch; none where one kernel is for all steps.
std::vector<Schedule> schedulesOf(mlir::Operation *op, Products products, bool fineGrids);

// The kernel of a primitive op or of a shared launch. Throws ds4::Error (User) when its emitter refuses the shape or format.
KernelSpec emitKernelOf(mlir::Operation *op, const KernelChoice &choice);

// Whether the products of an op's slots can be made together, ordered by expert.
bool canGroupExperts(ExpertLinearOp op);

// Whether the last workgroup that scores rows can select among them.
bool canFuseIndexer(IndexScoreOp score);

// How a product reads the activations of one token when its kernel is a fast one, which alone can read halves; nothing else.
std::optional<ActivationReader> activationReader(LinearOp product, Products products);

// Whether that kernel rounds activations of one of its products to half precision.
bool roundsActivations(mlir::Operation *op, Products products);

} // namespace ds4
