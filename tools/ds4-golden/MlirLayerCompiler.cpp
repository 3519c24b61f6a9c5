#include "tools/ds4-golden/MlirLayerCompiler.h"

#include <map>
#include <span>
#include <vector>

#include <mlir/IR/MLIRContext.h>

#include "compiler/Compile.h"
#include "tools/ds4-golden/Runners.h"

namespace ds4::golden {
static GraphOptions graphOptions(int64_t context, int width) {
  return {.rows = RowElement::F32, .context = context, .maxWidth = width};
}

void MlirLayerCompiler::withRunner(const LayerGoldens &goldens, const std::string &kind, int64_t context, const RunOptions &options,
                                   WeightSource &bytes, const std::function<void(StepRunner &)> &use) const {
  mlir::MLIRContext mlirContext(mlir::MLIRContext::Threading::DISABLED);
  const ModelTable table(goldens.description(kind), goldens.weights(kind), kind);
  const GraphOptions graph = graphOptions(context, options.width);
  mlir::OwningOpRef<mlir::ModuleOp> module = buildLayerGraph(mlirContext, table, 0, graph);
  std::map<std::string, std::vector<float>> decoded;
  const Weights weights{bytes, [&](llvm::StringRef name, QuantizedType) {
                          return std::span<const float>(decoded[name.str()] = goldens.weightValues(kind, name.str()));
                        }};
  use(*makeRunner(*module, table, graph, weights, options));
}

Plan MlirLayerCompiler::plan(const LayerGoldens &goldens, const std::string &kind, int64_t context, int width,
                             const std::string &target) const {
  mlir::MLIRContext mlirContext(mlir::MLIRContext::Threading::DISABLED);
  const ModelTable table(goldens.description(kind), goldens.weights(kind), kind);
  CompileOptions options;
  options.graph = graphOptions(context, width);
  options.target = target;
  mlir::OwningOpRef<mlir::ModuleOp> module = buildLayerGraph(mlirContext, table, 0, options.graph);
  return compileStep(*module, table, options);
}

} // namespace ds4::golden
