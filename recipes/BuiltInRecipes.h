// The recipes of this folder as text; BuiltInRecipes.cpp.in is filled in when the build is configured.
#pragma once

#include <span>
#include <string_view>

namespace ds4 {

struct BuiltInRecipe {
  std::string_view name, text;
};

std::span<const BuiltInRecipe> builtInRecipes();

} // namespace ds4
