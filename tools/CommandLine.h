// What the command lines of all tools share.
#pragma once

#include <charconv>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "support/Error.h"
#include "support/Version.h"

namespace ds4 {

// Parses; prints help, or the program's name and version, and returns 0 for them. Throws ds4::Error (User) with one line for a
// wrong command line.
inline std::optional<int> parseCommandLine(CLI::App &app, int argc, char **argv) {
  app.set_version_flag("--version", fmt::format("{} {}", std::filesystem::path(argv[0]).filename().string(), kVersion));
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

// Refuses what is no whole number of the type, `least` or more: CLI11 takes -1 and 2^64 for the greatest number.
template <typename T> CLI::Validator wholeNumber(T least = 0) {
  return CLI::Validator(
      [least](std::string &text) {
        T value{};
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        const bool right = error == std::errc() && end == text.data() + text.size() && value >= least;
        return right ? "" : fmt::format("'{}' is no whole number from {} to {}", text, least, std::numeric_limits<T>::max());
      },
      "");
}

// For CLI11's check(): the value of a shell's unset variable is no file.
inline CLI::Validator notEmpty() {
  return CLI::Validator([](std::string &text) { return text.empty() ? "it is empty: name a file" : ""; }, "");
}

} // namespace ds4
