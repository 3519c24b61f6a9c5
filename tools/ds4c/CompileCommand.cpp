#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "codegen/kernels/step.h"
#include "compiler/Compile.h"
#include "models/Model.h"
#include "models/gguf/Shards.h"
#include "runtime/cache/KernelCache.h"
#include "runtime/plan/PlanFile.h"
#include "support/Error.h"
#include "support/File.h"
#include "support/Outputs.h"
#include "tools/CommandLine.h"
#include "tools/ProductsOption.h"
#include "tools/RocmFp2Option.h"
#include "tools/ds4c/Commands.h"
#include "tools/ds4c/PlanSummary.h"
#include "tools/ds4c/ScheduleText.h"
#include "tools/ds4c/StepTime.h"

namespace ds4 {

namespace {

struct Arguments {
  std::string model, drafter, output, target = std::string(kDefaultTarget), rows = "f16", products = "fast", kernelCache = "on",
                                      reproducer;
  int64_t context = 32768;
  int maxWidth = 8;
  std::string prefillChunk = "auto";
  unsigned jobs = 0;
  bool aot = true, explain = false, printPipeline = false;
  std::vector<std::string> printIrAfter, disabledPasses;
  std::optional<WeightFormat> rocmFp2;
};

int prefillChunk(const std::string &text) {
  if (text == "auto")
    return kAutoChunk;
  int tokens = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), tokens);
  if (error != std::errc() || end != text.data() + text.size() || tokens < 0 || tokens > kMaxChunk)
    userError("--prefill-chunk {}: choose auto, 0 (prompts are read in steps) or up to {} tokens", text, kMaxChunk);
  return tokens;
}

// Code objects of the step, of a draft and of a chunk of a prompt, each with its own.
size_t codeObjectsOf(const Plan &plan) {
  return plan.kernels.size() + (plan.draft ? plan.draft->kernels.size() : 0) + (plan.prefill ? plan.prefill->kernels.size() : 0);
}

// The plan's name, once neither it nor the reproducer's would replace what is read, or the other one.
std::string checkedOutput(const Arguments &arguments, const Model &model, const DrafterModel *drafter) {
  std::string output = arguments.output;
  if (output.empty())
    output = std::filesystem::path(arguments.model).replace_extension(".ds4plan").string();
  std::vector<std::string> inputs = gguf::pathsOf(model.file());
  if (drafter)
    std::ranges::copy(gguf::pathsOf(drafter->file()), std::back_inserter(inputs));
  refuseToReplace(inputs, output);
  refuseToReplace(inputs, arguments.reproducer);
  refuseOneFileForTwo(std::array{NamedOutput{"--output", output}, NamedOutput{"--crash-reproducer", arguments.reproducer}});
  if (!arguments.reproducer.empty())
    const FileWriter writable(arguments.reproducer); // MLIR writes it when a pass fails, which is late for a wrong name
  return output;
}

void printPipeline(std::string_view what, const CompileOptions &options) {
  fmt::print("// {}\n{}\n", what, pipelineText(pipelineOf(options)));
}

int compile(const Arguments &arguments) {
  checkTarget(arguments.target);
  auto start = std::chrono::steady_clock::now();
  Model model = Model::open(arguments.model, arguments.rocmFp2);
  for (const std::string &warning : model.warnings())
    fmt::print(stderr, "ds4c: warning: {}\n", warning);
  std::optional<DrafterModel> drafter;
  if (!arguments.drafter.empty())
    drafter.emplace(DrafterModel::open(arguments.drafter, model, arguments.rocmFp2));
  if (drafter)
    for (const std::string &warning : drafter->warnings())
      fmt::print(stderr, "ds4c: warning: {}\n", warning);
  const std::string output = checkedOutput(arguments, model, drafter ? &*drafter : nullptr);
  FileWriter writer(output); // now: a compile is long, and the folder may not be writable

  CompileOptions options;
  options.graph.rows = arguments.rows == "f32" ? RowElement::F32 : RowElement::F16;
  options.graph.context = arguments.context;
  options.graph.maxWidth = arguments.maxWidth;
  options.prefillChunk = prefillChunk(arguments.prefillChunk);
  options.pipeline.exactProducts = arguments.products == "exact";
  options.pipeline.printIrAfter = arguments.printIrAfter;
  options.pipeline.disabledPasses = arguments.disabledPasses;
  options.pipeline.crashReproducer = arguments.reproducer;
  options.target = arguments.target;
  options.codeObjects = arguments.aot;
  options.jobs = arguments.jobs;
  KernelCache cache({.policy = parseCachePolicy(arguments.kernelCache),
                     .warn = [](const std::string &text) { fmt::print(stderr, "ds4c: warning: {}\n", text); }});
  options.cache = &cache;
  if (arguments.printPipeline) {
    printPipeline("a step", options);
    if (drafter)
      printPipeline("a draft", draftOptions(options, drafter->description()));
  }
  Plan plan = compileModel(drafter ? ModelTable(model, *drafter) : ModelTable(model), options);
  if (arguments.printPipeline && plan.prefill) // whose length is known only now
    printPipeline("a chunk of a prompt", chunkOptions(options, plan.prefill->maxWidth));
  writer.write(serializePlan(plan));
  writer.commit();

  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const bool compiled = arguments.aot && !isNvidia(plan.target);
  fmt::print("{}: {} launches a step, {} distinct kernels{}, {:.1f} MB weights, {:.1f} MB state for {} positions, {:.1f} MB arena, "
             "{:.1f} s\n",
             output, plan.launches.size(), plan.kernels.size(),
             !compiled       ? " (compiled at load)"
             : cache.found() ? fmt::format(" ({} of {} code objects from the cache)", cache.found(), codeObjectsOf(plan))
                             : "",
             double(plan.weightBytes()) * 1e-6, double(plan.stateBytes()) * 1e-6, plan.context, double(plan.arenaBytes) * 1e-6,
             seconds);
  if (plan.draft)
    fmt::print("{} launches a draft of {}, {:.1f} MB more weights\n", plan.draft->launches.size(),
               drafter->description().kind == DrafterKind::Mtp ? "a token" : fmt::format("{} tokens", plan.draft->maxWidth),
               double(bytesOf(plan.drafterWeights())) * 1e-6);
  if (plan.prefill)
    fmt::print("{} launches a chunk of up to {} tokens of a prompt, {:.1f} MB arena\n", plan.prefill->launches.size(),
               plan.prefill->maxWidth, double(plan.prefill->arenaBytes) * 1e-6);
  if (arguments.explain)
    fmt::print("{}", scheduleText(plan));
  return 0;
}

} // namespace

void addCompileCommand(CLI::App &app, CommandBody &body) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App *command = app.add_subcommand("compile", "compile a model's plan");
  command->add_option("model", arguments->model, "GGUF file; of a split model any of its files")->required();
  command->add_option("--drafter", arguments->drafter,
                      "GGUF file of a drafter, whose drafts a run may verify: DSpark's, or one with the model's next-token block, "
                      "be it the model's own");
  command->add_option("-o,--output", arguments->output, "plan to write (default: the model's name with .ds4plan)");
  command
      ->add_option("--target", arguments->target,
                   fmt::format("architecture of the kernels: {}; NVIDIA's are compiled at load", supportedTargets()))
      ->capture_default_str();
  command->add_option("--context", arguments->context, "positions that the state has room for")
      ->check(CLI::Range(int64_t(1), kMostContext))
      ->capture_default_str();
  command->add_option("--max-width", arguments->maxWidth, "greatest number of tokens in a step")
      ->check(CLI::Range(1, 8))
      ->capture_default_str();
  command
      ->add_option(
          "--prefill-chunk", arguments->prefillChunk,
          "tokens of a prompt that a run may read at a time: auto (as many as an arena in proportion to the weights has room "
          "for), 0 (none, prompts are read in steps) or a number")
      ->envname("DS4C_PREFILL_CHUNK")
      ->capture_default_str();
  command->add_option("--rows", arguments->rows, "element of key-value rows")
      ->check(CLI::IsMember({"f16", "f32"}))
      ->capture_default_str();
  addProductsOption(*command, arguments->products);
  command->add_flag("--aot,!--no-aot", arguments->aot, "put code objects into the plan (default); --no-aot compiles at load");
  command
      ->add_option("--kernel-cache", arguments->kernelCache,
                   "of code objects: on, off, readonly (a missing one is an error) or redo")
      ->check(CLI::IsMember({"on", "off", "readonly", "redo"}))
      ->capture_default_str();
  addRocmFp2Option(*command, arguments->rocmFp2);
  command->add_option("-j,--jobs", arguments->jobs, "kernel compiles side by side (0: one a core)")
      ->check(wholeNumber<unsigned>())
      ->capture_default_str();
  command->add_flag("--explain", arguments->explain, "print the variants of each launch, their guards, and why they are there");
  std::vector<std::string> printable = allPasses();
  printable.emplace_back("all");
  command
      ->add_option("--print-ir-after", arguments->printIrAfter,
                   "print the IR after these passes, or all, of the step and of whatever else is compiled")
      ->check(CLI::IsMember(printable))
      ->delimiter(',');
  command->add_flag("--print-pipeline", arguments->printPipeline,
                    "print the passes as ds4-opt takes them, of the step and of whatever else is compiled");
  std::vector<std::string> optional(optionalPasses().begin(), optionalPasses().end());
  command->add_option("--disable-pass", arguments->disabledPasses, "leave out an optimisation, by its pass")
      ->check(CLI::IsMember(optional))
      ->delimiter(',');
  command->add_option("--crash-reproducer", arguments->reproducer, "file for MLIR's reproducer when a pass fails");
  command->callback([arguments, &body] { body = [arguments] { return compile(*arguments); }; });
}

} // namespace ds4
