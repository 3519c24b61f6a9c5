// What `ds4c inspect` says of the bytes that a token moves, and of the roofline that follows from them.
#pragma once

#include <nlohmann/json.hpp>

#include "models/StepTraffic.h"
#include "runtime/plan/Plan.h"

namespace ds4 {

// Of a token of the plan's model. Throws ds4::Error (User) for a plan from before plans told the model's sizes.
StepTraffic stepTraffic(const Plan &plan, int64_t position);

// A table of gigabytes by part, and tokens a second at the reachable and at the peak bandwidth. `isFlash`: beside the published
// arithmetic for that model (docs/roofline.md).
void printRoofline(const StepTraffic &traffic, bool isFlash);
nlohmann::ordered_json toJson(const StepTraffic &traffic);

// Whether a model has the sizes of DeepSeek-V4-Flash.
bool isFlash(uint64_t blocks, int64_t width, int64_t experts);

} // namespace ds4
