#include <algorithm>
#include <array>
#include <map>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "compiler/bench/StepBench.h"
#include "models/Model.h"
#include "models/TypeMeaning.h"
#include "runtime/plan/PlanFile.h"
#include "support/Error.h"
#include "support/File.h"
#include "tools/CommandLine.h"
#include "tools/RocmFp2Option.h"
#include "tools/ds4c/Commands.h"
#include "tools/ds4c/MemoryText.h"
#include "tools/ds4c/PlanJson.h"
#include "tools/ds4c/PlanSummary.h"
#include "tools/ds4c/Roofline.h"
#include "tools/ds4c/ScheduleText.h"
#include "tools/ds4c/StepTime.h"
#include "tools/ds4c/report/Report.h"

namespace ds4 {

namespace {

struct Arguments {
  std::string file, html, at;
  bool launches = false, schedules = false, kernels = false, memory = false, roofline = false, ir = false, json = false;
  std::optional<int64_t> position;
  std::optional<WeightFormat> rocmFp2;

  // Whether a part is named; else all are printed that are no long texts.
  bool namesParts() const { return launches || schedules || kernels || memory || roofline || ir; }
  bool printsRoofline() const { return roofline || json || !(namesParts() || !html.empty()); }
};

std::string gridText(const PlanVariant &variant) {
  return fmt::format("{} x {} x {}", variant.grid[0].toString(), variant.grid[1].toString(), variant.grid[2].toString());
}

void printSummary(const Plan &plan) {
  fmt::print("plan     format {}, by {}, for {}\n", kPlanVersion, plan.generator, plan.target);
  fmt::print("model    {} ({}), vocabulary {}\n", oneLine(plan.modelName), plan.modelFingerprint.substr(0, 16), plan.vocabulary);
  fmt::print("step     {} launches, {} distinct kernels, width 1 to {}, context {}\n", plan.launches.size(), plan.kernels.size(),
             plan.maxWidth, plan.context);
  if (plan.draft)
    fmt::print("drafter  {} launches, {} distinct kernels, {} ({})\n", plan.draft->launches.size(), plan.draft->kernels.size(),
               plan.drafterKind == "mtp" ? "a token a time" : fmt::format("blocks of {} tokens", plan.draft->maxWidth),
               plan.drafterKind);
}

// The step, and whatever else the plan has a function for.
std::vector<std::pair<std::string, const Plan *>> functionsOf(const Plan &plan) {
  std::vector<std::pair<std::string, const Plan *>> all{{"", &plan}};
  if (plan.draft)
    all.emplace_back(" of a draft", plan.draft.get());
  if (plan.prefill)
    all.emplace_back(" of a chunk of a prompt", plan.prefill.get());
  return all;
}

void printKernels(const std::string &of, const Plan &plan) {
  std::vector<int> uses(plan.kernels.size());
  for (const PlanLaunch &launch : plan.launches)
    for (const PlanVariant &variant : launch.variants)
      ++uses[variant.kernel];
  fmt::print("\n{:<72} {:>5} {:>5} {:>5} {:>5} {:>6} {:>6} {:>9}\n", "kernel" + of, "uses", "block", "VGPR", "SGPR", "LDS", "waves",
             "code");
  for (size_t i = 0; i < plan.kernels.size(); ++i) {
    const PlanKernel &kernel = plan.kernels[i];
    if (kernel.codeObject.empty())
      fmt::print("{:<72} {:>5} {:>5}   compiled at load\n", kernel.symbol, uses[i], kernel.block);
    else
      fmt::print("{:<72} {:>5} {:>5} {:>5} {:>5} {:>6} {:>6} {:>9}\n", kernel.symbol, uses[i], kernel.block, kernel.vgprs,
                 kernel.sgprs, kernel.ldsBytes, wavesPerSimd(kernel), kernel.codeObject.size());
  }
}

void printLaunches(const std::string &of, const Plan &plan) {
  fmt::print("\n{:>4}  {:<34} {:<62} {}\n", "#", "place" + of, "kernel", "grid (workgroups)");
  for (size_t i = 0; i < plan.launches.size(); ++i) {
    const PlanLaunch &launch = plan.launches[i];
    for (const PlanVariant &variant : launch.variants)
      fmt::print("{:>4}  {:<34} {:<62} {}{}\n", i, launch.label, plan.kernels[variant.kernel].symbol, gridText(variant),
                 launch.variants.size() > 1 ? ", where " + variant.guard.toString() : "");
  }
}

void printJson(const nlohmann::ordered_json &out) {
  fmt::print("{}\n", out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

// Of the weights of type 107: which of its meanings the plan was compiled with.
void printTypeMeaning(const Plan &plan) {
  for (const TypeMeaning &meaning : kTypeMeanings) {
    const std::string_view name = formatOf(meaning.format).name;
    if (const auto count = std::ranges::count(plan.weights, name, &PlanWeight::format))
      fmt::print("formats  {} weights of type {} were compiled as {} ({})\n", count, formatOf(meaning.format).ggmlType, name,
                 meaning.rule);
  }
}

bool hasFlashSizes(const Plan &plan) {
  const auto experts = std::ranges::find_if(plan.weights, [](const PlanWeight &weight) { return weight.shape.size() == 3; });
  return experts != plan.weights.end() && isFlash(plan.sizes.ratios.size(), experts->shape[2], experts->shape[0]);
}

void writeReport(const Arguments &arguments, const Plan &plan, std::optional<std::pair<int64_t, int>> at) {
  const auto [pos, q] = at.value_or(std::pair(plan.context - 1, 1));
  refuseToReplace(std::span(&arguments.file, 1), arguments.html);
  FileWriter writer(arguments.html);
  const std::string page = htmlReport(plan, pos, q);
  writer.write(std::as_bytes(std::span(page)));
  writer.commit();
  fmt::print("{}: {} bytes\n", arguments.html, page.size());
}

void printPlan(const Arguments &arguments, const Plan &plan, int64_t position, std::optional<std::pair<int64_t, int>> at) {
  const bool all = !arguments.namesParts();
  printSummary(plan);
  printTypeMeaning(plan);
  if (all || arguments.memory)
    fmt::print("{}", memoryText(plan));
  if (arguments.roofline || (all && !plan.sizes.ratios.empty()))
    printRoofline(stepTraffic(plan, position), hasFlashSizes(plan));
  for (const auto &[of, function] : functionsOf(plan)) {
    if (all || arguments.kernels)
      printKernels(of, *function);
    if (all || arguments.launches)
      printLaunches(of, *function);
  }
  if (arguments.schedules)
    fmt::print("{}", scheduleText(plan, at));
  if (arguments.ir)
    for (const auto &[of, function] : functionsOf(plan))
      fmt::print("\n// IR{}\n{}\n", of, function->ir);
}

int inspectPlan(const Arguments &arguments) {
  if (!arguments.at.empty() && arguments.html.empty() && !arguments.schedules)
    userError("--at names the step of --schedules or --html: add one of them");
  Plan plan = readPlanFile(arguments.file);
  if (arguments.rocmFp2)
    userError("a plan knows what its weights of type 107 are: --rocmfp2 is for models");
  const int64_t position = arguments.position.value_or(plan.context - 1);
  if (position >= plan.context)
    userError("--position {} is beyond the plan's context of {}: compile with a greater --context", position, plan.context);
  std::optional<std::pair<int64_t, int>> at;
  if (!arguments.at.empty()) {
    at = parseStepTime(arguments.at);
    checkStep(plan, at->first, at->second);
  }
  if (arguments.json) {
    nlohmann::ordered_json out = planJson(plan);
    if (!plan.sizes.ratios.empty())
      out["roofline"] = toJson(stepTraffic(plan, position));
    printJson(out);
    return 0;
  }
  if (!arguments.html.empty())
    writeReport(arguments, plan, at);
  if (arguments.html.empty() || arguments.namesParts())
    printPlan(arguments, plan, position, at);
  return 0;
}

int inspectModel(const Arguments &arguments) {
  if (arguments.launches || arguments.schedules || arguments.kernels || arguments.ir || !arguments.html.empty())
    userError(
        "'{}' is a model: of models inspect shows the formats, --memory and --roofline, the rest of plans that ds4c compile makes",
        arguments.file);
  if (!arguments.at.empty())
    userError("--at names a step of a plan, '{}' is a model: name a plan that ds4c compile makes, or use --position",
              arguments.file);
  const Model model = Model::open(arguments.file, arguments.rocmFp2);
  const ModelDescription &description = model.description();
  if (arguments.position.value_or(0) >= description.contextLength)
    userError("--position {} is beyond the model's greatest context of {}", *arguments.position, description.contextLength);
  if (arguments.memory && !arguments.json)
    fmt::print("{}", memoryText(model));
  if (!arguments.printsRoofline())
    return 0;
  const StepTraffic traffic = stepTraffic(model, arguments.position.value_or(std::min(32768u, description.contextLength) - 1));
  const std::string meaning = describeTypeMeaning(model.file());
  std::map<std::string_view, std::pair<int, uint64_t>> formats;
  for (const Weight &weight : model.weights()) {
    auto &[count, bytes] = formats[weight.format->name];
    ++count;
    bytes += weight.bytes;
  }
  if (arguments.json) {
    nlohmann::ordered_json out{
        {"model", {{"name", description.name}, {"fingerprint", model.fingerprint()}, {"vocabulary", description.vocabulary}}}};
    for (const auto &[name, weights] : formats)
      out["formats"][name] = {{"tensors", weights.first}, {"bytes", weights.second}};
    if (!meaning.empty())
      out["type_107"] = {{"meaning", meaning}, {"assumed", !arguments.rocmFp2}};
    out["roofline"] = toJson(traffic);
    if (arguments.memory)
      out["memory"] = memoryJson(model);
    printJson(out);
    return 0;
  }
  fmt::print("model    {} ({}), {} blocks of width {}, vocabulary {}\n", description.name, model.fingerprint().substr(0, 16),
             description.blocks, description.width, description.vocabulary);
  if (!meaning.empty())
    fmt::print("formats  {}: {}\n", meaning,
               arguments.rocmFp2 ? "as --rocmfp2 says"
                                 : "assumed, for nothing in the file tells: confirm it or choose another by --rocmfp2");
  fmt::print("\nformat          tensors          bytes\n");
  for (const auto &[name, weights] : formats)
    fmt::print("  {:<14} {:>6} {:>14}\n", name, weights.first, weights.second);
  printRoofline(traffic, isFlash(description.blocks, description.width, description.experts));
  return 0;
}

bool isModel(const std::string &path) {
  constexpr std::string_view kMagic = "GGUF";
  const File file(path);
  std::array<char, kMagic.size()> head{};
  if (file.size() >= head.size())
    file.read(0, std::as_writable_bytes(std::span(head)));
  return std::string_view(head.data(), head.size()) == kMagic;
}

int inspect(const Arguments &arguments) {
  if (arguments.position && !arguments.printsRoofline())
    userError("--position names the token of --roofline: add it");
  return isModel(arguments.file) ? inspectModel(arguments) : inspectPlan(arguments);
}

} // namespace

void addInspectCommand(CLI::App &app, CommandBody &body) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App *command = app.add_subcommand(
      "inspect", "show what a plan holds, without flags all but schedules and IR; or a model's formats and roofline");
  command->add_option("file", arguments->file, "plan, or GGUF file; of a split model any of its files")->required();
  command->add_flag("--launches", arguments->launches,
                    "the launches of a step, and of a draft and a chunk where the plan has them, with their grids");
  command->add_flag("--schedules", arguments->schedules,
                    "the variants of each launch of a step and of a draft, their guards, and why they are there");
  command->add_flag("--kernels", arguments->kernels, "the distinct kernels with registers, LDS and occupancy");
  command->add_flag("--memory", arguments->memory, "bytes of weights, state and arena; of a model for several contexts");
  command->add_flag("--roofline", arguments->roofline, "bytes that a token moves by part, and the tokens a second that follow");
  command
      ->add_option("--position", arguments->position, "of that token (default: the last of the plan's context; of a model 32767)")
      ->check(wholeNumber<int64_t>());
  addRocmFp2Option(*command, arguments->rocmFp2);
  auto *ir = command->add_flag("--ir", arguments->ir,
                               "the IR after the last pass, of a step, and of a draft and a chunk where the plan has them");
  auto *html = command->add_option("--html", arguments->html,
                                   "write a report: layers before and after fusion, launches with their cost, memory; beside it "
                                   "is printed what other flags name");
  auto *at = command->add_option(
      "--at", arguments->at,
      "with --schedules: position and tokens of a step, whose variants are marked; with --html: of the step whose "
      "cost is counted (default: the last position, 1)");
  command->add_flag("--json", arguments->json, "everything but the IR as JSON")->excludes(html)->excludes(ir)->excludes(at);
  command->callback([arguments, &body] { body = [arguments] { return inspect(*arguments); }; });
}

} // namespace ds4
