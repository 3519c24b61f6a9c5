// What `ds4c inspect --json` says of a plan.
#pragma once

#include <nlohmann/json.hpp>

#include "runtime/plan/Plan.h"

namespace ds4 {

// Everything but the IR and the roofline.
nlohmann::ordered_json planJson(const Plan &plan);

} // namespace ds4
