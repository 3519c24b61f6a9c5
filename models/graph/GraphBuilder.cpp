#include "models/graph/GraphBuilder.h"

#include "models/graph/StepBuilder.h"

namespace ds4 {

mlir::OwningOpRef<mlir::ModuleOp> buildStepGraph(mlir::MLIRContext &context, const ModelTable &model, const GraphOptions &options) {
  return StepBuilder(context, model, options).buildStep();
}

mlir::OwningOpRef<mlir::ModuleOp> buildLayerGraph(mlir::MLIRContext &context, const ModelTable &model, int layer,
                                                  const GraphOptions &options) {
  return StepBuilder(context, model, options).buildLayerAlone(layer);
}

mlir::OwningOpRef<mlir::ModuleOp> buildDraftGraph(mlir::MLIRContext &context, const ModelTable &model, GraphOptions options) {
  options.maxWidth = static_cast<int>(model.drafter()->blockSize);
  return StepBuilder(context, model, options).buildDraft();
}

} // namespace ds4
