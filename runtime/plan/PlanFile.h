// Plan files. Reading goes through the FlatBuffers verifier and then through checkPlan(), so that a plan in
// memory can be executed without further checks.
#pragma once

#include <span>
#include <string>

#include "runtime/plan/Plan.h"

namespace ds4 {

std::vector<std::byte> serializePlan(const Plan &plan);

// `where` names the plan in messages. Throws ds4::Error (User) on a truncated or corrupt plan, and on one of another version.
Plan parsePlan(std::span<const std::byte> bytes, std::string_view where);

Plan readPlanFile(const std::string &path);

} // namespace ds4
