// The option that says how products are made, of commands that compile.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace ds4 {

// `chosen` becomes "exact" or "fast"; what it is before is the default.
inline void addProductsOption(CLI::App &command, std::string &chosen) {
  command
      .add_option("--products", chosen,
                  "products in half precision where a fast kernel exists for the weight (fast), or none (exact)")
      ->check(CLI::IsMember({"exact", "fast"}))
      ->capture_default_str();
}

} // namespace ds4
