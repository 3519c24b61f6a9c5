// The YAML descriptions of this folder as text; BuiltInYaml.cpp.in is filled in when the build is configured.
#pragma once

#include <span>
#include <string_view>

namespace ds4 {

struct BuiltInYaml {
  std::string_view name, text;
};

std::span<const BuiltInYaml> builtInYaml();

} // namespace ds4
