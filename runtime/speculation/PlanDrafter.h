// The drafter that a plan was compiled with.
#pragma once

#include <memory>

#include "runtime/Executor.h"
#include "runtime/speculation/Drafter.h"

namespace ds4 {

// A DsparkDrafter or an MtpDrafter, as the plan of `target` says, which has one and must outlive the drafter. Its weights are
// loaded now. Throws as Executor's constructor.
std::unique_ptr<Drafter> makePlanDrafter(Executor &target, WeightSource &weights, ExecutorOptions options = {});

} // namespace ds4
