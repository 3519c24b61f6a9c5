#include "tools/ds4c/PlanJson.h"

#include "runtime/plan/PlanFile.h"
#include "tools/ds4c/MemoryText.h"
#include "tools/ds4c/PlanSummary.h"

namespace ds4 {

static void addLaunches(nlohmann::ordered_json &out, const Plan &plan) {
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
}

nlohmann::ordered_json planJson(const Plan &plan) {
  nlohmann::ordered_json out;
  out["format_version"] = kPlanVersion;
  out["generator"] = plan.generator;
  out["target"] = plan.target;
  out["model"] = {{"name", plan.modelName}, {"fingerprint", plan.modelFingerprint}, {"vocabulary", plan.vocabulary}};
  out["context"] = plan.context;
  out["max_width"] = plan.maxWidth;
  out["memory"] = memoryJson(plan);
  addLaunches(out, plan);
  if (plan.draft) {
    out["drafter"] = {{"kind", plan.drafterKind}, {"max_width", plan.draft->maxWidth}};
    addLaunches(out["drafter"], *plan.draft);
  }
  if (plan.prefill) {
    out["chunk"] = {{"max_width", plan.prefill->maxWidth}};
    addLaunches(out["chunk"], *plan.prefill);
  }
  return out;
}

} // namespace ds4
