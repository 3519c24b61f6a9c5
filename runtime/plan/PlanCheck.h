// What a plan must hold to be executed without further checks. A checksum tells of damage, not of a wrong writer.
#pragma once

#include <string_view>

#include "runtime/plan/Plan.h"

namespace ds4 {

// Throws ds4::Error (User) naming the first thing that is wrong: an index or place that points at nothing, a size out of
// range, an option or name that could make the kernel compiler touch the host's files. `where` names the plan.
void checkPlan(const Plan &plan, std::string_view where);

} // namespace ds4
