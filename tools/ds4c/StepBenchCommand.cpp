#include "tools/ds4c/StepBenchCommand.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "codegen/kernels/step.h"
#include "compiler/Compile.h"
#include "compiler/bench/StepBench.h"
#include "models/Model.h"
#include "tools/ds4c/StepTime.h"

namespace ds4 {

namespace {

nlohmann::ordered_json toJson(const StepGroup &group) {
  return {{"place", group.place},
          {"kernel", group.kernel},
          {"launches", group.launches},
          {"distinct_kernels", group.kernels},
          {"instructions", group.cost.instructions},
          {"bytes", group.cost.bytes},
          {"longest_wave", group.cost.longestWave},
          {"tile_products", group.cost.tileProducts},
          {"predicted_ms", group.cost.seconds * 1e3}};
}

void printGroup(const StepGroup &group) {
  fmt::print("{:<24} {:<18} {:>8} {:>8} {:>14.1f} {:>10.1f} {:>10.0f} {:>10.3f}\n", group.place, group.kernel, group.launches,
             group.kernels, group.cost.instructions * 1e-3, group.cost.bytes * 1e-6, group.cost.longestWave,
             group.cost.seconds * 1e3);
}

} // namespace

int benchStep(const StepBenchArguments &arguments) {
  const auto [pos, q] = parseStepTime(!arguments.at.empty() ? arguments.at
                                      : arguments.prefill   ? "7680,512"
                                                            : "32767,1",
                                      arguments.prefill ? kMaxChunk : kMaxWidth);
  Model model = Model::open(arguments.model);
  CompileOptions options;
  options.graph.context = std::max<int64_t>(arguments.context, pos + q);
  options.pipeline.disabledPasses = arguments.disabledPasses;
  const Plan plan = arguments.prefill ? compilePrefill(ModelTable(model), options, q) : compileModel(ModelTable(model), options);
  const StepCost cost = arguments.prefill ? measureChunk(plan, pos, q) : measureStep(plan, pos, q);
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
    out["predicted_tokens_per_second"] = q / total.cost.seconds;
    out["instructions_per_token"] = total.cost.instructions / q;
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
  if (arguments.prefill)
    fmt::print("predicted: {:.1f} tokens a second; {:.1f} M instructions a token\n", q / total.cost.seconds,
               total.cost.instructions / q * 1e-6);
  else
    fmt::print("predicted: {:.1f} steps a second\n", 1 / total.cost.seconds);
  return 0;
}

} // namespace ds4
