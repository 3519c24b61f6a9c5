#include "tools/ds4c/StepBenchCommand.h"

#include <charconv>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "compiler/Compile.h"
#include "compiler/bench/StepBench.h"
#include "models/Model.h"
#include "support/Error.h"

namespace ds4 {

namespace {

// "32767,1": position and tokens of a step.
std::pair<int64_t, int> parseStep(const std::string &text) {
  int64_t pos = -1;
  int q = 0;
  const char *end = text.data() + text.size();
  auto [comma, first] = std::from_chars(text.data(), end, pos);
  if (first == std::errc() && comma != end && *comma == ',')
    if (auto [rest, second] = std::from_chars(comma + 1, end, q);
        second == std::errc() && rest == end && pos >= 0 && q >= 1 && q <= 8)
      return {pos, q};
  userError("--at '{}' is no step: write a position and 1 to 8 tokens, such as 32767,1", text);
}

nlohmann::ordered_json toJson(const StepGroup &group) {
  return {{"place", group.place},
          {"kernel", group.kernel},
          {"launches", group.launches},
          {"distinct_kernels", group.kernels},
          {"instructions", group.instructions},
          {"bytes", group.bytes},
          {"longest_wave", group.longestWave},
          {"predicted_ms", group.seconds * 1e3}};
}

void printGroup(const StepGroup &group) {
  fmt::print("{:<24} {:<18} {:>8} {:>8} {:>14.1f} {:>10.1f} {:>10.0f} {:>10.3f}\n", group.place, group.kernel, group.launches,
             group.kernels, group.instructions * 1e-3, group.bytes * 1e-6, group.longestWave, group.seconds * 1e3);
}

} // namespace

int benchStep(const StepBenchArguments &arguments) {
  const auto [pos, q] = parseStep(arguments.at);
  Model model = Model::open(arguments.model);
  CompileOptions options;
  options.graph.context = std::max<int64_t>(arguments.context, pos + q);
  options.pipeline.disabledPasses = arguments.disabledPasses;
  const Plan plan = compileModel(ModelTable(model), options);
  const StepCost cost = measureStep(plan, pos, q);
  const StepGroup total = cost.total(), rest = cost.withoutProducts();
  if (arguments.json) {
    nlohmann::ordered_json out{{"model", plan.modelName},
                               {"target", plan.target},
                               {"pos", pos},
                               {"q", q},
                               {"disabled_passes", arguments.disabledPasses},
                               {"counted_by", "gfx1151 simulator; milliseconds are predicted (compiler/bench/CostModel.h)"}};
    for (const StepGroup &group : cost.groups)
      out["groups"].push_back(toJson(group));
    out["without_products"] = toJson(rest);
    out["total"] = toJson(total);
    fmt::print("{}\n", out.dump(2));
    return 0;
  }
  fmt::print("{} at position {}, {} token{}: counted in the gfx1151 simulator, time predicted\n", plan.modelName, pos, q,
             q > 1 ? "s" : "");
  fmt::print("{:<24} {:<18} {:>8} {:>8} {:>14} {:>10} {:>10} {:>10}\n", "place", "kernel", "launches", "kernels", "thousand instr",
             "MB", "long wave", "ms");
  for (const StepGroup &group : cost.groups)
    printGroup(group);
  printGroup(rest);
  printGroup(total);
  fmt::print("predicted: {:.1f} steps a second\n", 1 / total.seconds);
  return 0;
}

} // namespace ds4
