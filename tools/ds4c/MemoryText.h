// What `ds4c inspect --memory` says: where a step's bytes are on the device.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "models/Model.h"
#include "runtime/plan/Plan.h"

namespace ds4 {

// A plan's weights by format, state by kind, arena and their sum, at the context that it was compiled for.
std::string memoryText(const Plan &plan);

// The same of a model, whose step is planned for each of a few context lengths, from 4096 to 1048576 positions, without compiling
// a kernel.
std::string memoryText(const Model &model);

// The same for programs: {"weights": {format: bytes}, "arena", "state": {kind: bytes}, "total"}, and of a model {"max_width",
// "weights", "contexts": [{"context", "arena", "state", "total"}]}.
nlohmann::ordered_json memoryJson(const Plan &plan);
nlohmann::ordered_json memoryJson(const Model &model);

} // namespace ds4
