// The conditions that every model description must meet, wherever it came from.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "models/ModelDescription.h"

namespace ds4 {

// What a field is called where the description came from: by its name in YAML, or by its key in GGUF.
using FieldName = std::function<std::string(std::string_view yaml, std::string_view key)>;

// What is wrong with it; empty for a description that a graph can be built from, and whose graph has kernels.
std::vector<std::string> faultsOf(const ModelDescription &model, const FieldName &nameOf);

} // namespace ds4
