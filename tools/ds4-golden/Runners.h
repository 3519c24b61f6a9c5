// Runners of a step function: the interpreter, or a device that runs its plan.
#pragma once

#include <memory>

#include <mlir/IR/BuiltinOps.h>

#include "ir/reference/Interpreter.h"
#include "models/graph/GraphBuilder.h"
#include "runtime/Weights.h"
#include "tools/ds4-golden/RunOptions.h"
#include "tools/ds4-golden/StepRunner.h"

namespace ds4::golden {

// Both forms of the same weights: as bytes for a device, decoded for the interpreter.
struct Weights {
  WeightSource &bytes;
  reference::Interpreter::WeightSource decoded;
};

// A runner of the module's step function, which was built with `graph`. For a device the module is compiled in place; the
// interpreter keeps using it and the weights.
std::unique_ptr<StepRunner> makeRunner(mlir::ModuleOp module, const ModelTable &table, const GraphOptions &graph,
                                       const Weights &weights, const RunOptions &run);

} // namespace ds4::golden
