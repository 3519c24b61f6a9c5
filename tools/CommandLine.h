// What the command lines of all tools share.
#pragma once

#include <optional>

#include <CLI/CLI.hpp>

#include "support/Error.h"

namespace ds4 {

// Parses; prints help or version and returns 0 for them. Throws ds4::Error (User) with one line for a wrong command line.
inline std::optional<int> parseCommandLine(CLI::App &app, int argc, char **argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success &help) {
    return app.exit(help);
  } catch (const CLI::ParseError &error) {
    std::string what = error.what();
    if (size_t end = what.find('\n'); end != std::string::npos)
      what.resize(end);
    userError("{} (see --help)", what);
  }
  return std::nullopt;
}

} // namespace ds4
