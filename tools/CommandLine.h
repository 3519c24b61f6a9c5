// What the command lines of all tools share.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include "support/Error.h"
#include "support/Version.h"

namespace ds4 {

// Refuses a value that is empty, as that of a shell's unset variable is: CLI11 takes it for 0, and where no value means a default,
// as with a folder, the command would work on something else than the user meant. `mayBeEmpty` are options that mean it.
inline void refuseEmptyValues(const CLI::App &app, std::initializer_list<std::string_view> mayBeEmpty) {
  for (const CLI::Option *option : app.get_options()) {
    const auto &values = option->results();
    if (std::ranges::find(values, "") != values.end() && std::ranges::find(mayBeEmpty, option->get_name()) == mayBeEmpty.end())
      userError("{}: it is empty: give it a value, or leave it out", option->get_name());
  }
  for (const CLI::App *command : app.get_subcommands()) // those on the command line
    refuseEmptyValues(*command, mayBeEmpty);
}

// Parses; prints help, or the program's name and version, and returns 0 for them. Throws ds4::Error (User) with one line for a
// wrong command line.
inline std::optional<int> parseCommandLine(CLI::App &app, int argc, char **argv,
                                           std::initializer_list<std::string_view> mayBeEmpty = {}) {
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
  refuseEmptyValues(app, mayBeEmpty);
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

} // namespace ds4
