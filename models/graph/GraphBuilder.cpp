#include "models/graph/GraphBuilder.h"

#include "codegen/kernels/step.h"
#include "models/graph/StepBuilder.h"
#include "support/Error.h"

namespace ds4 {

static void checkWidth(std::string_view what, int width, int most) {
  if (width < 1 || width > most)
    userError("{} {}: choose 1 to {}", what, width, most);
}

mlir::OwningOpRef<mlir::ModuleOp> buildStepGraph(mlir::MLIRContext &context, const ModelTable &model, const GraphOptions &options) {
  checkWidth("width", options.maxWidth, kMaxWidth);
  return StepBuilder(context, model, options).buildStep();
}

mlir::OwningOpRef<mlir::ModuleOp> buildLayerGraph(mlir::MLIRContext &context, const ModelTable &model, int layer,
                                                  const GraphOptions &options) {
  checkWidth("width", options.maxWidth, kMaxWidth);
  return StepBuilder(context, model, options).buildLayerAlone(layer);
}

mlir::OwningOpRef<mlir::ModuleOp> buildPrefillGraph(mlir::MLIRContext &context, const ModelTable &model,
                                                    const GraphOptions &options) {
  checkWidth("chunk", options.maxWidth, kMaxChunk);
  return StepBuilder(context, model, options).buildPrefill();
}

mlir::OwningOpRef<mlir::ModuleOp> buildDraftGraph(mlir::MLIRContext &context, const ModelTable &model, GraphOptions options) {
  options.maxWidth = static_cast<int>(model.drafter()->blockSize);
  return StepBuilder(context, model, options).buildDraft();
}

} // namespace ds4
