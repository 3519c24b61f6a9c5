#include "compiler/Compile.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

#include "llvm/Support/raw_ostream.h"

#include "codegen/KernelResources.h"
#include "codegen/clang/Compiler.h"
#include "codegen/emitters/Emitters.h"
#include "codegen/kernels/step.h"
#include "compiler/PlanWriter.h"
#include "runtime/PlanKernelKey.h"
#include "runtime/cache/KernelCache.h"
#include "support/Error.h"
#include "support/Version.h"

namespace ds4 {

namespace {

std::vector<std::byte> compileKernel(const PlanKernel &kernel, const CompileRequest &common) {
  CompileRequest request = common;
  request.name = kernel.symbol + ".hip";
  request.source = kernel.source;
  CompileResult result = compileHip(request);
  if (!result.ok)
    internalError("kernel '{}' does not compile for {}: {}", kernel.symbol, request.architecture, result.log);
  return std::move(result.codeObject);
}

void recordCode(PlanKernel &kernel, std::vector<std::byte> code) {
  for (const KernelResources &resources : readKernelResources(code)) {
    if (resources.name != kernel.symbol)
      continue;
    checkResources(resources, {static_cast<int>(kernel.vgprBudget), static_cast<int>(kernel.ldsBudget)});
    kernel.vgprs = static_cast<uint32_t>(resources.vgprs);
    kernel.sgprs = static_cast<uint32_t>(resources.sgprs);
    kernel.ldsBytes = static_cast<uint32_t>(resources.ldsBytes);
    kernel.codeObject = std::move(code);
    return;
  }
  internalError("the code object of kernel '{}' does not hold it", kernel.symbol);
}

// A kernel that has no code object yet, and its name in the cache, if there is one.
struct WantedKernel {
  PlanKernel *kernel;
  KernelKey key;
};

std::vector<WantedKernel> kernelsWithoutCode(Plan &plan, const CompileRequest &common, KernelCache *cache) {
  KernelKey ofAll;
  if (cache) {
    ofAll.compiler = compilerIdentity();
    ofAll.headers = KernelKey::digestOf(common.headers);
  }
  std::vector<WantedKernel> wanted;
  for (PlanKernel &kernel : plan.kernels) {
    if (!kernel.codeObject.empty())
      continue;
    WantedKernel entry{&kernel, cache ? planKernelKey(ofAll, plan, kernel) : KernelKey()};
    if (std::optional<std::vector<std::byte>> code = cache ? cache->find(entry.key) : std::nullopt)
      recordCode(kernel, std::move(*code));
    else
      wanted.push_back(std::move(entry));
  }
  return wanted;
}

bool makesCode(const CompileOptions &options) { return options.codeObjects && !isNvidia(options.target); }

} // namespace

void compileKernels(Plan &plan, unsigned jobs, KernelCache *cache) {
  CompileRequest common;
  common.architecture = plan.target;
  common.options = plan.options;
  for (const PlanHeader &header : plan.headers)
    common.headers.emplace_back(header.name, header.text);

  std::vector<WantedKernel> wanted = kernelsWithoutCode(plan, common, cache);
  std::atomic<size_t> next = 0;
  std::exception_ptr failure;
  std::mutex mutex; // of the failure and the cache
  auto work = [&] {
    for (size_t i; (i = next++) < wanted.size();) {
      try {
        std::vector<std::byte> code = compileKernel(*wanted[i].kernel, common);
        if (cache) {
          std::lock_guard lock(mutex);
          cache->store(wanted[i].key, code);
        }
        recordCode(*wanted[i].kernel, std::move(code));
      } catch (...) {
        std::lock_guard lock(mutex);
        if (!failure)
          failure = std::current_exception();
        next = wanted.size();
      }
    }
  };
  const size_t threads = std::min<size_t>(jobs ? jobs : std::max(1u, std::thread::hardware_concurrency()), wanted.size());
  std::vector<std::jthread> workers;
  for (size_t i = 1; i < threads; ++i)
    workers.emplace_back(work);
  work();
  workers.clear();
  if (failure)
    std::rethrow_exception(failure);
  if (cache)
    cache->trim();
}

PipelineOptions pipelineOf(const CompileOptions &options) {
  PipelineOptions pipeline = options.pipeline;
  pipeline.maxWidth = options.graph.maxWidth;
  pipeline.fineGrids = isNvidia(options.target);
  pipeline.clusters = hasClusters(options.target);
  if (isNvidia(options.target)) {
    // The queries and the selection's histograms together want more than 48 KiB of static LDS.
    pipeline.disabledPasses.push_back("ds4-fuse-indexer");
    // Its costs are gfx1151's; kernels/quad_integers.h would make digits of the halves, too, so they save nothing in steps.
    if (!pipeline.chunk)
      pipeline.disabledPasses.push_back("ds4-place-activation-quantization");
  }
  pipeline.reuseArena = pipeline.reuseArena && !options.keepAll;
  return pipeline;
}

Plan compileStep(mlir::ModuleOp module, const ModelTable &model, const CompileOptions &options) {
  std::vector<PlanOp> ops = opsOf(module);
  runPipeline(module, pipelineOf(options));

  Plan plan = writePlan(module, model, options.graph.maxWidth, options.keepAll);
  plan.generator = std::string("ds4c ") + kVersion;
  plan.target = options.target;
  plan.context = options.graph.context;
  plan.ops = std::move(ops);
  plan.options = {"-std=c++20"};
  if (!isNvidia(options.target))
    plan.options.push_back("-O3"); // NVRTC always optimises and knows no levels
  for (const HeaderText &header : kernelHeaders())
    plan.headers.push_back({std::string(header.name), std::string(header.text)});
  llvm::raw_string_ostream text(plan.ir);
  module.print(text);
  if (makesCode(options))
    compileKernels(plan, options.jobs, options.cache);
  return plan;
}

namespace {

uint64_t fileBytes(const ModelTable &model, const Plan &plan) {
  uint64_t bytes = 0;
  for (const PlanWeight &weight : plan.weights)
    bytes += model.weight(weight.name).bytes;
  return bytes;
}

} // namespace

CompileOptions chunkOptions(const CompileOptions &options, int tokens) {
  CompileOptions own = options;
  own.pipeline.chunk = true;
  own.graph.maxWidth = tokens;
  return own;
}

CompileOptions draftOptions(const CompileOptions &options, const DrafterDescription &drafter) {
  CompileOptions own = options;
  own.graph.maxWidth = static_cast<int>(drafter.blockSize);
  return own;
}

namespace {

// Without code objects.
Plan planChunk(const ModelTable &model, const CompileOptions &options, int tokens) {
  CompileOptions own = chunkOptions(options, tokens);
  own.codeObjects = false;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  mlir::OwningOpRef<mlir::ModuleOp> module = buildPrefillGraph(context, model, own.graph);
  return compileStep(*module, model, own);
}

// Of as many tokens as an arena in proportion to the weights has room for. Of several attempts one prints its IR.
Plan planLongestChunk(const ModelTable &model, const CompileOptions &options) {
  constexpr int kFewest = 128;
  constexpr uint64_t kArenaShare = 16, kLeast = uint64_t(64) << 20, kMost = uint64_t(4) << 30;
  CompileOptions silent = options;
  silent.pipeline.printIrAfter.clear();
  for (int tokens = static_cast<int>(std::min<int64_t>(kMaxChunk, options.graph.context));; tokens /= 2) {
    Plan plan = planChunk(model, silent, tokens);
    if (tokens <= kFewest || plan.arenaBytes <= std::clamp(fileBytes(model, plan) / kArenaShare, kLeast, kMost))
      return options.pipeline.printIrAfter.empty() ? std::move(plan) : planChunk(model, options, tokens);
  }
}

} // namespace

Plan compilePrefill(const ModelTable &model, const CompileOptions &options, int chunk) {
  Plan plan = chunk == kAutoChunk ? planLongestChunk(model, options) : planChunk(model, options, chunk);
  if (makesCode(options))
    compileKernels(plan, options.jobs, options.cache);
  plan.headers.clear();
  return plan;
}

Plan compileModel(const ModelTable &model, const CompileOptions &options) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  mlir::OwningOpRef<mlir::ModuleOp> module = buildStepGraph(context, model, options.graph);
  Plan plan = compileStep(*module, model, options);
  if (const DrafterDescription *drafter = model.drafter()) {
    const CompileOptions ofDraft = draftOptions(options, *drafter);
    module = buildDraftGraph(context, model, ofDraft.graph);
    Plan draft = compileStep(*module, model, ofDraft);
    draft.headers.clear(); // the plan's
    plan.draft = std::make_shared<const Plan>(std::move(draft));
    plan.drafterFingerprint = model.drafterFingerprint();
    plan.drafterKind = nameOf(drafter->kind);
    plan.noiseToken = static_cast<int32_t>(drafter->noiseToken);
  }
  if (options.prefillChunk != 0)
    plan.prefill = std::make_shared<const Plan>(compilePrefill(model, options, options.prefillChunk));
  return plan;
}

} // namespace ds4
