// A model description from the metadata of a GGUF file, with what is missing instead of an error.
#pragma once

#include <string>
#include <vector>

#include "models/ModelDescription.h"

namespace ds4 {

struct GgufDescription {
  ModelDescription model;               // fields of missing keys are zero or empty
  std::vector<std::string> missingKeys; // canonical, in the order of requiredKeys()
  std::vector<std::string> assumedKeys; // absent from the file, taken from a built-in description
};

// Throws ds4::Error (User) when the file is of another architecture or holds a value that DS4 cannot have; the conditions
// between fields are checked only when no key is missing.
GgufDescription describeGguf(const gguf::Reader &reader);

// The same of a DSpark drafter's blocks, whose keys begin with `architecture`: ratio 0, learned routers, no key assumed. What
// such blocks have no use for is as in `target`, and so is a vocabulary that the file does not tell.
GgufDescription describeDrafterBlocks(const gguf::Reader &reader, const std::string &architecture, const ModelDescription &target);

} // namespace ds4
