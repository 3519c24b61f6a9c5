#include "compiler/Pipeline.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/raw_ostream.h"

#include "passes/Passes.h"
#include "support/Error.h"

namespace ds4 {

llvm::ArrayRef<llvm::StringRef> optionalPasses() {
  static constexpr llvm::StringRef kPasses[] = {"ds4-fuse-hyper-connections", "ds4-fuse-moe",
                                                "ds4-fuse-indexer",           "ds4-fuse-masked-attention",
                                                "ds4-fuse-projections",       "ds4-fuse-head",
                                                "ds4-defer-sinkhorn",         "ds4-fuse-head-norm",
                                                "ds4-group-experts",          "ds4-place-activation-quantization",
                                                "ds4-select-schedules"};
  return kPasses;
}

void buildPipeline(mlir::OpPassManager &manager, const PipelineOptions &options) {
  // Canonicalise.
  manager.addPass(createFoldRopeTables());
  manager.addPass(mlir::createCanonicalizerPass());
  manager.addPass(mlir::createCSEPass());

  // Fuse.
  auto addOptional = [&](std::unique_ptr<mlir::Pass> pass) {
    if (!llvm::is_contained(options.disabledPasses, pass->getArgument()))
      manager.addNestedPass<mlir::func::FuncOp>(std::move(pass));
  };
  if (options.chunk) {
    addOptional(createFuseMaskedAttention());
    addOptional(createFuseHeadNorm());
    if (!options.exactProducts) {
      addOptional(createGroupExperts());
      PlaceActivationQuantizationOptions activations;
      activations.chunk = true;
      addOptional(createPlaceActivationQuantization(activations));
    }
  } else {
    addOptional(createFuseHyperConnections());
    if (options.clusters)
      addOptional(createDeferSinkhorn());
    addOptional(createFuseMoe());
    addOptional(createFuseIndexer());
    addOptional(createFuseMaskedAttention());
    addOptional(createFuseHeadNorm());
    addOptional(createFuseProjections());
    addOptional(createFuseHead());

    // Schedule.
    PlaceActivationQuantizationOptions activations;
    activations.exactProducts = options.exactProducts;
    addOptional(createPlaceActivationQuantization(activations));
    SelectSchedulesOptions schedules;
    schedules.exactProducts = options.exactProducts;
    schedules.fineGrids = options.fineGrids;
    addOptional(createSelectSchedules(schedules));
  }

  // Outline: only now is it known who needs scratch.
  OutlineKernelsOptions kernels;
  kernels.exactProducts = options.exactProducts;
  kernels.chunk = options.chunk;
  kernels.fineGrids = options.fineGrids;
  kernels.clusters = options.clusters;
  manager.addPass(createOutlineKernels(kernels));

  if (!options.chunk) // whose launches have no variants
    manager.addNestedPass<mlir::func::FuncOp>(createCheckGuards());

  // Plan memory.
  PlanMemoryOptions memory;
  memory.maxWidth = options.maxWidth;
  memory.noReuse = !options.reuseArena;
  manager.addNestedPass<mlir::func::FuncOp>(createPlanMemory(memory));
}

std::string pipelineText(const PipelineOptions &options) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto manager = mlir::PassManager::on<mlir::ModuleOp>(&context);
  buildPipeline(manager, options);
  std::string text;
  llvm::raw_string_ostream out(text);
  manager.printAsTextualPipeline(out);
  return text;
}

void runPipeline(mlir::ModuleOp module, const PipelineOptions &options) {
  auto manager = mlir::PassManager::on<mlir::ModuleOp>(module.getContext());
  buildPipeline(manager, options);

  if (!options.printIrAfter.empty()) {
    auto wanted = [names = options.printIrAfter](mlir::Pass *pass, mlir::Operation *) {
      return llvm::any_of(names, [&](const std::string &name) { return name == "all" || pass->getArgument() == name; });
    };
    manager.enableIRPrinting(nullptr, wanted, /*printModuleScope=*/true, /*printAfterOnlyOnChange=*/false,
                             /*printAfterOnlyOnFailure=*/false, llvm::errs());
  }
  if (!options.crashReproducer.empty())
    manager.enableCrashReproducerGeneration(options.crashReproducer);

  std::string firstError;
  mlir::ScopedDiagnosticHandler handler(module.getContext(), [&](mlir::Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error && firstError.empty())
      firstError = diagnostic.str();
    return mlir::success();
  });
  if (failed(manager.run(module))) {
    if (auto refusal = module->getAttrOfType<mlir::StringAttr>(kRefusalAttribute))
      userError("{}", refusal.getValue().str());
    internalError("the compiler's pipeline failed: {}", firstError.empty() ? "no diagnostic" : firstError);
  }
}

} // namespace ds4
