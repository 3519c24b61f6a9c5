#include <algorithm>
#include <map>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "runtime/plan/PlanFile.h"
#include "support/Error.h"
#include "support/File.h"
#include "tools/ds4c/Commands.h"
#include "tools/ds4c/PlanSummary.h"
#include "tools/ds4c/ScheduleText.h"
#include "tools/ds4c/StepTime.h"
#include "tools/ds4c/report/Report.h"

namespace ds4 {

namespace {

struct Arguments {
  std::string plan, html, at;
  bool launches = false, schedules = false, kernels = false, memory = false, ir = false, json = false;
};

std::string gridText(const PlanVariant &variant) {
  return fmt::format("{} x {} x {}", variant.grid[0].toString(), variant.grid[1].toString(), variant.grid[2].toString());
}

void printSummary(const Plan &plan) {
  fmt::print("plan     format {}, by {}, for {}\n", kPlanVersion, plan.generator, plan.target);
  fmt::print("model    {} ({}), vocabulary {}\n", plan.modelName, plan.modelFingerprint.substr(0, 16), plan.vocabulary);
  fmt::print("step     {} launches, {} distinct kernels, width 1 to {}, context {}\n", plan.launches.size(), plan.kernels.size(),
             plan.maxWidth, plan.context);
  if (plan.draft)
    fmt::print("drafter  {} launches, {} distinct kernels, blocks of {} tokens\n", plan.draft->launches.size(), plan.draft->kernels.size(),
               plan.draft->maxWidth);
}

void printMemory(const Plan &plan) {
  fmt::print("\nmemory                bytes\n");
  for (const auto &[format, bytes] : weightsByFormat(plan))
    fmt::print("  weights {:<8} {:>12}\n", format, bytes);
  for (const auto &[kind, bytes] : stateByKind(plan))
    fmt::print("  state {:<10} {:>12}\n", kind, bytes);
  fmt::print("  arena            {:>12}\n", plan.arenaBytes);
  fmt::print("  total            {:>12}\n", plan.weightBytes() + plan.stateBytes() + plan.arenaBytes);
}

void printKernels(const Plan &plan) {
  std::vector<int> uses(plan.kernels.size());
  for (const PlanLaunch &launch : plan.launches)
    for (const PlanVariant &variant : launch.variants)
      ++uses[variant.kernel];
  fmt::print("\n{:<72} {:>5} {:>5} {:>5} {:>5} {:>6} {:>6} {:>9}\n", "kernel", "uses", "block", "VGPR", "SGPR", "LDS", "waves",
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

void printLaunches(const Plan &plan) {
  fmt::print("\n{:>4}  {:<34} {:<62} {}\n", "#", "place", "kernel", "grid (workgroups)");
  for (size_t i = 0; i < plan.launches.size(); ++i) {
    const PlanLaunch &launch = plan.launches[i];
    for (const PlanVariant &variant : launch.variants)
      fmt::print("{:>4}  {:<34} {:<62} {}{}\n", i, launch.label, plan.kernels[variant.kernel].symbol, gridText(variant),
                 launch.variants.size() > 1 ? ", where " + variant.guard.toString() : "");
  }
}

nlohmann::ordered_json toJson(const Plan &plan) {
  nlohmann::ordered_json out;
  out["format_version"] = kPlanVersion;
  out["generator"] = plan.generator;
  out["target"] = plan.target;
  out["model"] = {{"name", plan.modelName}, {"fingerprint", plan.modelFingerprint}, {"vocabulary", plan.vocabulary}};
  out["context"] = plan.context;
  out["max_width"] = plan.maxWidth;
  out["memory"] = {{"weights", weightsByFormat(plan)}, {"arena", plan.arenaBytes}};
  for (const auto &[kind, bytes] : stateByKind(plan))
    out["memory"]["state"][kind] = bytes;
  for (const PlanKernel &kernel : plan.kernels)
    out["kernels"].push_back({{"symbol", kernel.symbol},
                              {"op", kernel.op},
                              {"block", kernel.block},
                              {"vgprs", kernel.vgprs},
                              {"sgprs", kernel.sgprs},
                              {"lds", kernel.ldsBytes},
                              {"waves_per_simd", wavesPerSimd(kernel)},
                              {"code_bytes", kernel.codeObject.size()}});
  for (const PlanLaunch &launch : plan.launches) {
    nlohmann::ordered_json planned{{"place", launch.label}};
    for (const PlanVariant &variant : launch.variants)
      planned["variants"].push_back({{"kernel", plan.kernels[variant.kernel].symbol},
                                     {"grid", {variant.grid[0].toString(), variant.grid[1].toString(), variant.grid[2].toString()}},
                                     {"guard", variant.guard.toString()},
                                     {"name", variant.name},
                                     {"reason", variant.reason}});
    out["launches"].push_back(std::move(planned));
  }
  return out;
}

int inspect(const Arguments &arguments) {
  if (!arguments.at.empty() && arguments.html.empty() && !arguments.schedules)
    userError("--at names the step of --schedules or --html: add one of them");
  Plan plan = readPlanFile(arguments.plan);
  if (arguments.json) {
    fmt::print("{}\n", toJson(plan).dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
    return 0;
  }
  if (!arguments.html.empty()) {
    const auto [pos, q] = arguments.at.empty() ? std::pair(plan.context - 1, 1) : parseStepTime(arguments.at);
    FileWriter writer(arguments.html);
    const std::string page = htmlReport(plan, pos, q);
    writer.write(std::as_bytes(std::span(page)));
    writer.commit();
    fmt::print("{}: {} bytes\n", arguments.html, page.size());
    return 0;
  }
  bool all = !arguments.launches && !arguments.schedules && !arguments.kernels && !arguments.memory && !arguments.ir;
  printSummary(plan);
  if (all || arguments.memory)
    printMemory(plan);
  if (all || arguments.kernels)
    printKernels(plan);
  if (all || arguments.launches)
    printLaunches(plan);
  if (arguments.schedules)
    fmt::print("{}", scheduleText(plan, arguments.at.empty() ? std::nullopt : std::optional(parseStepTime(arguments.at))));
  if (arguments.ir)
    fmt::print("\n{}\n", plan.ir);
  return 0;
}

} // namespace

void addInspectCommand(CLI::App &app, CommandBody &body) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App *command = app.add_subcommand("inspect", "show what a plan holds; without flags all but the IR");
  command->add_option("plan", arguments->plan, "plan file")->required();
  command->add_flag("--launches", arguments->launches, "the launches of a step with their grids");
  command->add_flag("--schedules", arguments->schedules, "the variants of each launch, their guards, and why they are there");
  command->add_flag("--kernels", arguments->kernels, "the distinct kernels with registers, LDS and occupancy");
  command->add_flag("--memory", arguments->memory, "bytes of weights, state and arena");
  command->add_flag("--ir", arguments->ir, "the IR after the last pass");
  command->add_option("--html", arguments->html,
                      "write a report: layers before and after fusion, launches with their cost, memory");
  command->add_option("--at", arguments->at,
                      "with --schedules: position and tokens of a step, whose variants are marked; with --html: of the step whose "
                      "cost is counted (default: the last position, 1)");
  command->add_flag("--json", arguments->json, "everything but the IR as JSON");
  command->callback([arguments, &body] { body = [arguments] { return inspect(*arguments); }; });
}

} // namespace ds4
