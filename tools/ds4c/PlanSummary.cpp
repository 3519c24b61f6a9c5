#include "tools/ds4c/PlanSummary.h"

#include <algorithm>

#include "codegen/KernelResources.h"

namespace ds4 {

int wavesPerSimd(const PlanKernel &kernel) {
  KernelResources resources;
  resources.vgprs = static_cast<int>(kernel.vgprs);
  return resources.wavesPerSimd();
}

uint64_t bytesOf(const std::vector<PlanWeight> &weights) {
  uint64_t sum = 0;
  for (const PlanWeight &weight : weights)
    sum += weight.bytes;
  return sum;
}

std::vector<std::pair<std::string, uint64_t>> stateByKind(const Plan &plan) {
  std::vector<std::pair<std::string, uint64_t>> kinds;
  for (const PlanState &state : plan.states) {
    auto at = std::find_if(kinds.begin(), kinds.end(), [&](const auto &kind) { return kind.first == state.kind; });
    if (at == kinds.end())
      at = kinds.insert(kinds.end(), {state.kind, 0});
    at->second += state.bytes();
  }
  return kinds;
}

std::map<std::string, uint64_t> weightsByFormat(const Plan &plan) {
  std::map<std::string, uint64_t> formats;
  for (const PlanWeight &weight : plan.weights)
    formats[weight.format] += weight.bytes;
  return formats;
}

} // namespace ds4
