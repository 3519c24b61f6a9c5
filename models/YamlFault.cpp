#include "models/YamlFault.h"

#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/yaml.h>

#include "support/Error.h"

namespace ds4 {

void refuseYaml(std::string_view source, const YAML::Exception &error) {
  const int line = error.mark.line + 1;
  if (const auto *deep = dynamic_cast<const YAML::DeepRecursion *>(&error)) // whose own words are "bad file"
    userError("'{}' line {}: more than {} brackets or levels within one another", source, line, deep->depth());
  userError("'{}' line {}: {}", source, line, error.msg);
}

} // namespace ds4
