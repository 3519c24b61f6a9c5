// The compiler as one call: a model's metadata in, a plan out. Stages: build the graph, run the pipeline, write the
// plan, compile its kernels.
#pragma once

#include <string>
#include <vector>

#include "mlir/IR/BuiltinOps.h"

#include "compiler/Pipeline.h"
#include "compiler/Target.h"
#include "models/graph/GraphBuilder.h"
#include "runtime/plan/Plan.h"

namespace ds4 {

class KernelCache;
inline constexpr int kAutoChunk = -1;

struct CompileOptions {
  GraphOptions graph;
  PipelineOptions pipeline;
  std::string target = "gfx1151"; // or an NVIDIA architecture
  bool codeObjects = true;        // compile kernels now; else, and for NVIDIA, the runtime has it done at load
  int prefillChunk = 0; // tokens of the longest chunk of a prompt; 0: no prefill plan, kAutoChunk: as many as memory suggests
  bool keepAll = false; // every intermediate value keeps its own memory and is returned under its op's name
  unsigned jobs = 0;    // kernel compiles side by side; 0 = one a core
  KernelCache *cache = nullptr; // of code objects, the user's, not owned; null: compile all
};

// The pipeline of a function under these options: options.pipeline, and what target, width and keepAll make of it.
PipelineOptions pipelineOf(const CompileOptions &options);

// The options of a chunk of up to so many tokens, and of a draft, where `options` are the step's.
CompileOptions chunkOptions(const CompileOptions &options, int tokens);
CompileOptions draftOptions(const CompileOptions &options, const DrafterDescription &drafter);

// With a drafter in the table its draft function is compiled, too. Throws ds4::Error: User for options that do not fit the model,
// Internal when a pass or a kernel's resource gate fails.
Plan compileModel(const ModelTable &model, const CompileOptions &options);

// The function that reads a prompt in chunks of up to `chunk` tokens or, with kAutoChunk, of as many, a power of two, as make an
// arena in proportion to the model's weights. Its headers are the step's plan's.
Plan compilePrefill(const ModelTable &model, const CompileOptions &options, int chunk);

// The same from a step function that is already built (a layer alone, a test).
Plan compileStep(mlir::ModuleOp module, const ModelTable &model, const CompileOptions &options);

// Finds in the cache or compiles every kernel of the plan that has no code object, checks its resources against its budget,
// and records them. Throws ds4::Error: Environment when the cache is read-only and lacks one.
void compileKernels(Plan &plan, unsigned jobs, KernelCache *cache = nullptr);

} // namespace ds4
