#include "support/Error.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <system_error>
#include <unistd.h>

#include "support/OneLine.h"

namespace ds4 {

namespace {

// Not fmt::print, which throws when stderr takes nothing.
int report(std::string_view tool, std::string_view message, ExitCode code) {
  std::fflush(stdout);
  std::fputs(fmt::format("{}: error: {}\n", tool, oneLine(message)).c_str(), stderr);
  return static_cast<int>(code);
}

// A file opened into a closed standard descriptor would receive what is printed there. Writing to the stand-in of stdout
// fails, so that lost output is noticed.
void occupyStandardDescriptors() {
  constexpr int kModes[] = {O_RDONLY, O_RDONLY, O_WRONLY};
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor)
    if (::fcntl(descriptor, F_GETFD) < 0)
      ::open("/dev/null", kModes[descriptor]); // the lowest free descriptor is this one
}

} // namespace

void flushOutput() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout))
    environmentError("cannot write the output: {}", std::strerror(errno));
}

int runTool(std::string_view tool, const std::function<int()> &body) {
  occupyStandardDescriptors();
  std::signal(SIGXFSZ, SIG_IGN); // a file longer than the user's limit is an error like a full disk
  try {
    const int code = body();
    flushOutput();
    return code;
  } catch (const Error &error) {
    return report(tool, error.what(), error.code());
  } catch (const std::bad_alloc &) {
    return report(tool, "out of memory: close other programs, or choose a smaller model or context", ExitCode::Environment);
  } catch (const std::system_error &error) { // of fmt::print and std::filesystem
    return report(tool, error.what(), ExitCode::Environment);
  } catch (const std::exception &error) {
    return report(tool, fmt::format("internal error, please report it: {}", error.what()), ExitCode::Internal);
  }
}

} // namespace ds4
