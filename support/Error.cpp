#include "support/Error.h"

#include <cstdio>
#include <new>

namespace ds4 {

namespace {

int report(std::string_view tool, std::string_view message, ExitCode code) {
  std::fflush(stdout);
  fmt::print(stderr, "{}: error: {}\n", tool, message);
  return static_cast<int>(code);
}

} // namespace

int runTool(std::string_view tool, const std::function<int()> &body) {
  try {
    return body();
  } catch (const Error &error) {
    return report(tool, error.what(), error.code());
  } catch (const std::bad_alloc &) {
    return report(tool, "out of memory: close other programs, or choose a smaller model or context", ExitCode::Environment);
  } catch (const std::exception &error) {
    return report(tool, fmt::format("internal error, please report it: {}", error.what()), ExitCode::Internal);
  }
}

} // namespace ds4
