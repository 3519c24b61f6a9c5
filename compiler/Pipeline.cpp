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

namespace {

// Adds passes, and keeps their names.
struct PassList {
  mlir::OpPassManager &manager;
  const std::vector<std::string> &disabled;
  std::vector<std::string> names;

  void add(std::unique_ptr<mlir::Pass> pass) {
    names.emplace_back(pass->getArgument());
    manager.addPass(std::move(pass));
  }
  void addOfFunctions(std::unique_ptr<mlir::Pass> pass) {
    names.emplace_back(pass->getArgument());
    manager.addNestedPass<mlir::func::FuncOp>(std::move(pass));
  }
  void addOptional(std::unique_ptr<mlir::Pass> pass) {
    if (!llvm::is_contained(disabled, pass->getArgument()))
      addOfFunctions(std::move(pass));
  }
};

std::vector<std::string> addPasses(mlir::OpPassManager &manager, const PipelineOptions &options) {
  PassList passes{.manager = manager, .disabled = options.disabledPasses, .names = {}};

  // Canonicalise.
  passes.add(createFoldRopeTables());
  passes.add(mlir::createCanonicalizerPass());
  passes.add(mlir::createCSEPass());

  // Fuse.
  if (options.chunk) {
    passes.addOptional(createFuseMaskedAttention());
    passes.addOptional(createFuseHeadNorm());
    if (!options.exactProducts) {
      passes.addOptional(createGroupExperts());
      PlaceActivationQuantizationOptions activations;
      activations.chunk = true;
      passes.addOptional(createPlaceActivationQuantization(activations));
    }
  } else {
    passes.addOptional(createFuseHyperConnections());
    if (options.clusters)
      passes.addOptional(createDeferSinkhorn());
    passes.addOptional(createFuseMoe());
    passes.addOptional(createFuseIndexer());
    passes.addOptional(createFuseMaskedAttention());
    passes.addOptional(createFuseHeadNorm());
    passes.addOptional(createFuseProjections());
    passes.addOptional(createFuseHead());

    // Schedule.
    PlaceActivationQuantizationOptions activations;
    activations.exactProducts = options.exactProducts;
    passes.addOptional(createPlaceActivationQuantization(activations));
    SelectSchedulesOptions schedules;
    schedules.exactProducts = options.exactProducts;
    schedules.fineGrids = options.fineGrids;
    passes.addOptional(createSelectSchedules(schedules));
  }

  // Outline: only now is it known who needs scratch.
  OutlineKernelsOptions kernels;
  kernels.exactProducts = options.exactProducts;
  kernels.chunk = options.chunk;
  kernels.fineGrids = options.fineGrids;
  kernels.clusters = options.clusters;
  passes.add(createOutlineKernels(kernels));

  if (!options.chunk) // whose launches have no variants
    passes.addOfFunctions(createCheckGuards());

  // Plan memory.
  PlanMemoryOptions memory;
  memory.maxWidth = options.maxWidth;
  memory.noReuse = !options.reuseArena;
  passes.addOfFunctions(createPlanMemory(memory));
  return std::move(passes.names);
}

} // namespace

std::vector<std::string> allPasses() {
  std::vector<std::string> all;
  for (const bool chunk : {false, true}) {
    mlir::OpPassManager manager(mlir::ModuleOp::getOperationName());
    PipelineOptions options;
    options.chunk = chunk;
    options.clusters = true;
    const std::vector<std::string> names = addPasses(manager, options);
    all.insert(all.end(), names.begin(), names.end());
  }
  llvm::sort(all);
  all.erase(llvm::unique(all), all.end());
  return all;
}

void buildPipeline(mlir::OpPassManager &manager, const PipelineOptions &options) { addPasses(manager, options); }

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
