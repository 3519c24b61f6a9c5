// `ds4c inspect --html`: a plan as one page that needs no network and no other file.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/plan/Plan.h"

namespace ds4 {

// One layer of each kind before and after fusion, its launches with what they cost in a step of q tokens at position pos,
// the step's cost by place against the limits of the bus and of the ALUs, and memory by part. Runs the plan's kernels in the
// simulator once: seconds for a model of real size. Throws ds4::Error.
std::string htmlReport(const Plan &plan, int64_t pos, int q);

} // namespace ds4
