// Errors that reach a user, and the exit codes that scripts rely on.
//
// Every failure that a person can cause or mend is thrown as ds4::Error with the exit code it ends in; a tool's
// main catches it once (runTool) and prints a single line. Anything else that escapes is our bug: exit code 70.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "support/OneLine.h"

namespace ds4 {

enum class ExitCode : int {
  Success = 0,
  OutOfTolerance = 1, // a result differs from its reference by more than the stated tolerance
  User = 2,           // a mistake in files or flags; the message says what, where and how to mend it
  Environment = 3,    // no device, no memory, no compiler, a full disk
  Internal = 70,      // our bug
};

// The message is one line without a trailing full stop: "what, where: how to mend". Names that files bring into it may hold
// anything; it is made one line here (support/OneLine.h), so that no thrower has to.
class Error : public std::runtime_error {
public:
  Error(ExitCode code, std::string_view message) : std::runtime_error(oneLine(message)), code_(code) {}
  ExitCode code() const { return code_; }

private:
  ExitCode code_;
};

template <typename... Args> [[noreturn]] void userError(fmt::format_string<Args...> format, Args &&...args) {
  throw Error(ExitCode::User, fmt::format(format, std::forward<Args>(args)...));
}

template <typename... Args> [[noreturn]] void environmentError(fmt::format_string<Args...> format, Args &&...args) {
  throw Error(ExitCode::Environment, fmt::format(format, std::forward<Args>(args)...));
}

template <typename... Args> [[noreturn]] void internalError(fmt::format_string<Args...> format, Args &&...args) {
  throw Error(ExitCode::Internal, fmt::format(format, std::forward<Args>(args)...));
}

// Hands what was printed to the system. Throws ds4::Error (Environment) when stdout is closed or its disk full.
void flushOutput();

// Runs a tool's body, flushes its output and turns an escaping exception into one line on stderr, "<tool>: error:
// <message>", and its exit code. std::bad_alloc and std::system_error are Environment errors; any other is Internal.
int runTool(std::string_view tool, const std::function<int()> &body);

} // namespace ds4
