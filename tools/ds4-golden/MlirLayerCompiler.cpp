#include "tools/ds4-golden/MlirLayerCompiler.h"

#include <map>
#include <span>
#include <vector>

#include <mlir/IR/MLIRContext.h>

#include "compiler/Compile.h"
#include "tools/ds4-golden/Runners.h"

namespace ds4::golden {
namespace {

GraphOptions graphOptions(int64_t context, int width) { return {.rows = RowElement::F32, .context = context, .maxWidth = width}; }

// Owns what the interpreter keeps using: the module and the decoded weights.
class LayerRunner : public StepRunner {
public:
  LayerRunner(const LayerGoldens &goldens, const std::string &kind, const GraphOptions &graph, const std::string &device,
              WeightSource &bytes)
      : context_(mlir::MLIRContext::Threading::DISABLED), table_(goldens.description(kind), goldens.weights(kind), kind),
        module_(buildLayerGraph(context_, table_, 0, graph)) {
    Weights weights{bytes, [this, &goldens, kind](llvm::StringRef name, QuantizedType) {
                      return std::span<const float>(decoded_[name.str()] = goldens.weightValues(kind, name.str()));
                    }};
    runner_ = makeRunner(*module_, table_, graph, weights, device);
  }

  int maxWidth() const override { return runner_->maxWidth(); }
  void reset() override { runner_->reset(); }
  void setInput(const std::string &name, std::span<const float> values) override { runner_->setInput(name, values); }
  void step(std::span<const int32_t> tokens, int64_t pos, bool head) override { runner_->step(tokens, pos, head); }
  std::vector<float> output(const std::string &name) override { return runner_->output(name); }
  std::vector<int32_t> outputIds(const std::string &name) override { return runner_->outputIds(name); }
  int64_t stateRows(const std::string &name) const override { return runner_->stateRows(name); }
  std::vector<float> readState(const std::string &name, int64_t firstRow, int64_t rows) override {
    return runner_->readState(name, firstRow, rows);
  }
  void writeState(const std::string &name, int64_t firstRow, std::span<const float> values) override {
    runner_->writeState(name, firstRow, values);
  }

private:
  mlir::MLIRContext context_;
  ModelTable table_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  std::map<std::string, std::vector<float>> decoded_;
  std::unique_ptr<StepRunner> runner_;
};

} // namespace

std::unique_ptr<StepRunner> MlirLayerCompiler::runner(const LayerGoldens &goldens, const std::string &kind, int64_t context,
                                                      const RunOptions &options, WeightSource &bytes) const {
  return std::make_unique<LayerRunner>(goldens, kind, graphOptions(context, options.width), options.device, bytes);
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
