// What `ds4c inspect` and its report say of a plan in numbers.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "runtime/plan/Plan.h"

namespace ds4 {

// Waves of the kernel that a SIMD of gfx1151 holds for its registers.
int wavesPerSimd(const PlanKernel &kernel);
// In their files.
uint64_t bytesOf(const std::vector<PlanWeight> &weights);
// Bytes of state by kind, in the order of first appearance.
std::vector<std::pair<std::string, uint64_t>> stateByKind(const Plan &plan);
std::map<std::string, uint64_t> weightsByFormat(const Plan &plan);

} // namespace ds4
