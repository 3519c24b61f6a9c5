// The option that says what type 107 means in a model file.
#pragma once

#include <algorithm>
#include <optional>

#include <CLI/CLI.hpp>

#include "models/TypeMeaning.h"

namespace ds4 {

inline void addRocmFp2Option(CLI::App &command, std::optional<WeightFormat> &chosen) {
  std::vector<std::string> names;
  for (const TypeMeaning &meaning : kTypeMeanings)
    names.emplace_back(meaning.name);
  command
      .add_option_function<std::string>(
          "--rocmfp2",
          [&chosen](const std::string &name) { chosen = std::ranges::find(kTypeMeanings, name, &TypeMeaning::name)->format; },
          "what weights of type 107 are, which a file does not tell")
      ->check(CLI::IsMember(names));
}

} // namespace ds4
