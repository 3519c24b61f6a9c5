// Kernels that the plan brings without a code object are compiled by the provider's hipRTC, in the helper process.
#include "runtime/Executor.h"

namespace ds4 {

std::vector<std::byte> Executor::compileAtLoad(const PlanKernel &kernel) {
  if (!rtc_)
    rtc_ = std::make_unique<hip::RtcClient>(provider_->table.library, options_.rtcHelper);
  hip::RtcJob job;
  job.kernel = kernel.symbol;
  job.architecture = plan_.target;
  job.source = kernel.source;
  job.options = plan_.options;
  for (const PlanHeader &header : plan_.headers)
    job.headers.emplace_back(header.name, header.text);
  return rtc_->compile(job);
}

} // namespace ds4
