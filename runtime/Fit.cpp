#include "runtime/Fit.h"

#include <algorithm>

#include "runtime/DeviceSlabs.h"
#include "runtime/hip/DeviceMemory.h"
#include "support/Error.h"
#include "support/HostMemory.h"

namespace ds4 {

namespace {

constexpr uint64_t kMargin = uint64_t(64) << 20; // code objects, queues, the host's own buffers

std::string gigabytes(uint64_t bytes) { return fmt::format("{:.2f} GB", double(bytes) * 1e-9); }

} // namespace

Need Need::of(const Plan &plan, bool prefills) {
  Need need;
  uint64_t growing = 0;
  for (const PlanState &state : plan.states)
    if (state.kind == "compressed" || state.kind == "indexer")
      growing += state.bytes();
  need.weights =
      DeviceSlabs::layoutOf(plan.weightPieces()).bytes() + DeviceSlabs::layoutOf(weightPieces(plan.drafterWeights())).bytes();
  need.state = DeviceSlabs::layoutOf(plan.statePieces()).bytes();
  need.scratch = plan.arenaBytes + plan.draftBytes();
  if (prefills)
    need.scratch += plan.prefillBytes();
  need.context = plan.context;
  need.statePerPosition =
      plan.context > 0 ? (growing + static_cast<uint64_t>(plan.context) - 1) / static_cast<uint64_t>(plan.context) : 0;
  return need;
}

Have Have::of(const hip::Provider &provider) {
  Have have;
  const hip::MemoryInfo memory = provider.memory();
  have.deviceFree = memory.freeBytes;
  have.deviceTotal = memory.totalBytes;
  have.hostAvailable = availableHostBytes();
  if (provider.kind == hip::ProviderKind::Simulator)
    have.ownFree = 0;
  else if (provider.kind == hip::ProviderKind::Amd && provider.attribute(hip::AttributeIntegrated) != 0)
    if (const auto counters = hip::memoryCounters(provider.table, provider.device))
      have.ownFree = counters->vramTotal - std::min(counters->vramUsed, counters->vramTotal);
  return have;
}

uint64_t Have::usable() const {
  const uint64_t bytes = ownFree ? std::min(deviceFree, *ownFree + std::min(hostAvailable, UINT64_MAX - *ownFree)) : deviceFree;
  return bytes - std::min(bytes, kMargin);
}

std::optional<std::string> misfit(const Need &need, const Have &have) {
  if (need.total() <= have.usable())
    return std::nullopt;
  std::string text =
      fmt::format("not enough memory: weights {}, state {} for {} positions, scratch {}, together {}; the device has {} free of {}",
                  gigabytes(need.weights), gigabytes(need.state), need.context, gigabytes(need.scratch), gigabytes(need.total()),
                  gigabytes(have.deviceFree), gigabytes(have.deviceTotal));
  if (have.ownFree)
    text += fmt::format(", the machine {}", gigabytes(have.hostAvailable));
  const uint64_t fixed = need.total() - need.statePerPosition * static_cast<uint64_t>(need.context);
  constexpr uint64_t kStep = 128; // positions that share a row of the coarsest state
  const uint64_t room =
      have.usable() > fixed && need.statePerPosition > 0 ? (have.usable() - fixed) / need.statePerPosition / kStep * kStep : 0;
  if (room > 0)
    return text + fmt::format(": compile with --context {}, the largest that fits, or close other programs", room);
  return text +
         ": no context fits; take a smaller quantization, close other programs, or give the GPU more memory (firmware setting, "
         "ttm.pages_limit)";
}

void checkFit(const Plan &plan, const hip::Provider &provider, bool prefills) {
  if (const auto line = misfit(Need::of(plan, prefills), Have::of(provider)))
    environmentError("{}", *line);
}

} // namespace ds4
