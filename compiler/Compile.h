// The compiler as one call: a model's metadata in, a plan out. Stages: build the graph, run the pipeline, write the
// plan, compile its kernels.
#pragma once

#include <string>
#include <vector>

#include "mlir/IR/BuiltinOps.h"

#include "compiler/Pipeline.h"
#include "models/graph/GraphBuilder.h"
#include "runtime/plan/Plan.h"

namespace ds4 {

struct CompileOptions {
  GraphOptions graph;
  PipelineOptions pipeline;
  std::string target = "gfx1151";
  bool codeObjects = true;    // compile kernels now; else the runtime has it done at load
  bool keepAll = false;       // every intermediate value keeps its own memory and is returned under its op's name
  unsigned jobs = 0;          // kernel compiles side by side; 0 = one a core
};

// Throws ds4::Error: User for options that do not fit the model, Internal when a pass or a kernel's resource gate fails.
Plan compileModel(const ModelTable &model, const CompileOptions &options);

// The same from a step function that is already built (a layer alone, a test).
Plan compileStep(mlir::ModuleOp module, const ModelTable &model, const CompileOptions &options);

// Compiles every kernel of the plan that has no code object, checks its resources against its budget, and records them.
void compileKernels(Plan &plan, unsigned jobs);

} // namespace ds4
