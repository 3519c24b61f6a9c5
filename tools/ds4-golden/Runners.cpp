#include "tools/ds4-golden/Runners.h"

#include "compiler/Compile.h"
#include "runtime/hip/Provider.h"
#include "tools/ds4-golden/ExecutorRunner.h"
#include "tools/ds4-golden/InterpreterRunner.h"

namespace ds4::golden {

std::unique_ptr<StepRunner> makeRunner(mlir::ModuleOp module, const ModelTable &table, const GraphOptions &graph,
                                       const Weights &weights, const RunOptions &run) {
  if (run.device == "reference")
    return std::make_unique<InterpreterRunner>(module, graph.maxWidth, weights.decoded);
  std::shared_ptr<const hip::Provider> provider = hip::openProvider(run.device);
  CompileOptions options;
  options.graph = graph;
  options.target = provider->architecture;
  options.pipeline.exactProducts = run.products == "exact";
  return std::make_unique<ExecutorRunner>(std::move(provider), compileStep(module, table, options), weights.bytes);
}

} // namespace ds4::golden
