// YAML model descriptions: the format of models/*.yaml, and those that are built in.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/ModelDescription.h"

namespace ds4 {

struct DescriptionFile {
  ModelDescription model;
  std::vector<std::string> mayLack; // GGUF keys that files of this model leave out
  std::string notes;                // where the values come from, what distinguishes the revision
};

// `source` is named in messages. Throws ds4::Error (User) with one line: "'SOURCE' line N: what is wrong".
DescriptionFile parseDescription(std::string_view text, std::string_view source);

// ds4-flash, ds4-flash-0731, ds4-tiny.
std::span<const DescriptionFile> builtInDescriptions();

} // namespace ds4
