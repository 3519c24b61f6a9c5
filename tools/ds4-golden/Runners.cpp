#include <nlohmann/json.hpp>

#include "compiler/Compile.h"
#include "runtime/hip/Provider.h"
#include "support/Error.h"
#include "tools/ds4-golden/Commands.h"
#include "tools/ds4-golden/ExecutorRunner.h"
#include "tools/ds4-golden/InterpreterRunner.h"

namespace ds4::golden {

void addRunOptions(CLI::App &command, RunOptions &options) {
  command.add_option("--device", options.device, "auto, hip, hip:N, sim, cuda, or reference: the double-precision interpreter")
      ->capture_default_str();
  command.add_option("--width", options.width, "greatest number of tokens in a step")
      ->check(CLI::Range(1, 8))
      ->capture_default_str();
  command.add_flag("--json", options.json, "print the outcome as JSON");
}

std::unique_ptr<StepRunner> makeRunner(mlir::ModuleOp module, const ModelTable &table, const GraphOptions &graph,
                                       const Weights &weights, const std::string &device) {
  if (device == "reference")
    return std::make_unique<InterpreterRunner>(module, graph.maxWidth, weights.decoded);
  std::shared_ptr<const hip::Provider> provider = hip::openProvider(device);
  CompileOptions options;
  options.graph = graph;
  options.target = provider->architecture;
  return std::make_unique<ExecutorRunner>(std::move(provider), compileStep(module, table, options), weights.bytes);
}

int finish(const Report &report, const RunOptions &options) {
  if (options.json)
    fmt::print("{}\n", report.toJson().dump(2));
  else
    report.print();
  return static_cast<int>(report.passed() ? ExitCode::Success : ExitCode::OutOfTolerance);
}

} // namespace ds4::golden
