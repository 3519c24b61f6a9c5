// The name that a kernel of a plan has in the cache of code objects, wherever it is looked up: at load and by `ds4c compile`.
#pragma once

#include "runtime/cache/KernelKey.h"
#include "runtime/plan/Plan.h"

namespace ds4 {

// `common` holds what one load's kernels share: the compiler, its environment and the digest of the plan's headers.
inline KernelKey planKernelKey(KernelKey common, const Plan &plan, const PlanKernel &kernel) {
  common.kernel = kernel.symbol;
  common.architecture = plan.target;
  common.generator = plan.generator;
  common.source = kernel.source;
  common.options = plan.options;
  common.block = kernel.block;
  return common;
}

} // namespace ds4
