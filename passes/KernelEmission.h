// The bridge from the IR to the emitters: reads the shapes that specialise a kernel off an op.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <mlir/IR/Operation.h>

#include "codegen/KernelSpec.h"
#include "codegen/emitters/ActivationCost.h"
#include "codegen/emitters/Schedules.h"
#include "ir/Ds4Ops.h"

namespace ds4 {

// Which products kernels make: all in single precision, or in half precision where a fast kernel exists.
enum class Products { Exact, Fast };

// What an emitter may choose: the products, and of the op's schedules the one with that name and value. Without one, the kernel
// does for all steps.
struct KernelChoice {
  Products products = Products::Fast;
  std::string schedule;
  int value = 0;
  bool fineGrids = false; // for devices of more than a hundred multiprocessors
  bool chunk = false;     // for steps of any number of tokens
};

// The schedules of a primitive op or of a shared launch; none where one kernel is for all steps.
std::vector<Schedule> schedulesOf(mlir::Operation *op, Products products, bool fineGrids);

// The kernel of a primitive op or of a shared launch. Throws ds4::Error (User) when its emitter refuses the shape or format.
KernelSpec emitKernelOf(mlir::Operation *op, const KernelChoice &choice);

// Whether there is a kernel of ds4.masked_attention for an attention whose result is turned backwards by `rope`.
bool hasMaskedAttention(AttendOp attend, RopeAttr rope);

// Whether the products of an op's slots can be made together, ordered by expert.
bool canGroupExperts(ExpertLinearOp op);

// Whether the last workgroup that scores rows can select among them.
bool canFuseIndexer(IndexScoreOp score);

// How a product reads the activations of one token when its kernel is a fast one, which alone can read halves; nothing else.
std::optional<ActivationReader> activationReader(LinearOp product, Products products);

// Whether that kernel rounds activations of one of its products to half precision.
bool roundsActivations(mlir::Operation *op, Products products);

} // namespace ds4
