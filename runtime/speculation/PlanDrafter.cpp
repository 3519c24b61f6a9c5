#include "runtime/speculation/PlanDrafter.h"

#include "runtime/speculation/DsparkDrafter.h"
#include "runtime/speculation/MtpDrafter.h"

namespace ds4 {

std::unique_ptr<Drafter> makePlanDrafter(Executor &target, WeightSource &weights, ExecutorOptions options) {
  if (target.plan().drafterKind == "mtp")
    return std::make_unique<MtpDrafter>(target, weights, std::move(options));
  return std::make_unique<DsparkDrafter>(target, weights, std::move(options));
}

} // namespace ds4
