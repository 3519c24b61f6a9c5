// The conditions that every model description must meet, wherever it came from.
#pragma once

#include <string>
#include <vector>

#include "models/ModelDescription.h"

namespace ds4 {

// What is wrong with it, in the words of the YAML fields; empty for a description that a graph can be built from.
std::vector<std::string> faultsOf(const ModelDescription &model);

} // namespace ds4
