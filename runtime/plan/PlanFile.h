// Plan files. Reading goes through the FlatBuffers verifier and then checks every index, so that a plan in memory can
// be executed without further checks.
#pragma once

#include <span>
#include <string>

#include "runtime/plan/Plan.h"

namespace ds4 {

std::vector<std::byte> serializePlan(const Plan &plan);

// `where` names the plan in messages. Throws ds4::Error (User) on a truncated or corrupt plan, and on one of another version.
Plan parsePlan(std::span<const std::byte> bytes, std::string_view where);

Plan readPlanFile(const std::string &path);
void writePlanFile(const std::string &path, const Plan &plan);

} // namespace ds4
