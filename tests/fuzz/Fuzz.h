// What the fuzz targets share: what counts as a crash beside what the sanitizer finds, and inputs as files.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

#include <sys/mman.h>
#include <unistd.h>

#include "support/Error.h"

namespace ds4::fuzz {

inline void require(bool holds, std::string_view what) {
  if (holds)
    return;
  std::fprintf(stderr, "broken: %.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

// Runs a reader of `code`'s kind. To refuse the input is right, in one line and with that exit code; any other exception
// leaves the target and is a crash.
template <typename Body> int read(ExitCode code, const Body &body) {
  try {
    body();
  } catch (const Error &error) {
    require(error.code() == code, std::string("refused with another exit code: ") + error.what());
    require(std::string_view(error.what()).find('\n') == std::string_view::npos,
            std::string("a refusal of several lines: ") + error.what());
  }
  return 0;
}

inline std::span<const std::byte> bytesOf(const uint8_t *data, size_t size) {
  return {reinterpret_cast<const std::byte *>(data), size};
}
inline std::string_view textOf(const uint8_t *data, size_t size) { return {reinterpret_cast<const char *>(data), size}; }

// A file in memory that holds the input, and behind it a hole.
class InputFile {
public:
  InputFile() : descriptor_(::memfd_create("input", MFD_CLOEXEC)) { require(descriptor_ >= 0, "memfd_create"); }
  InputFile(const InputFile &) = delete;
  InputFile &operator=(const InputFile &) = delete;

  std::string fill(const uint8_t *data, size_t size, size_t hole = 0) {
    require(::ftruncate(descriptor_, 0) == 0 && ::ftruncate(descriptor_, static_cast<off_t>(size + hole)) == 0 &&
                ::pwrite(descriptor_, data, size, 0) == static_cast<ssize_t>(size),
            "writing the input");
    return fmt::format("/proc/self/fd/{}", descriptor_);
  }

private:
  int descriptor_;
};

} // namespace ds4::fuzz
