// What `ds4c inspect --schedules` and `ds4c compile --explain` say of a plan's launches.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "runtime/plan/Plan.h"

namespace ds4 {

// Each launch with its variants: name, guard, kernel, grid and why; launches of one place with the same variants once, with
// their number. With `at`, position and tokens of a step, the variant that is taken is marked, and why its guard holds and the
// others' do not follows from the values of their expressions, which are printed too. Behind the step's follow a draft's, unmarked;
// a chunk's launches have no variants. Throws ds4::Error (User) for a step that the plan has no variant for.
std::string scheduleText(const Plan &plan, std::optional<std::pair<int64_t, int>> at = std::nullopt);

} // namespace ds4
