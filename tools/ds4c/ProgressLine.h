// A line on stderr that says how far a long write is; nothing when stderr is no terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string_view>

#include <fmt/format.h>
#include <unistd.h>

namespace ds4 {

class ProgressLine {
public:
  ~ProgressLine() {
    if (shown_)
      fmt::print(stderr, "\r\x1b[K");
  }

  void show(uint64_t done, uint64_t total, std::string_view what) {
    const auto now = std::chrono::steady_clock::now();
    if (!terminal_ || now - last_ < std::chrono::milliseconds(100))
      return;
    last_ = now;
    shown_ = true;
    fmt::print(stderr, "\r\x1b[K{:.2f} of {:.2f} GB, {}", static_cast<double>(done) * 1e-9, static_cast<double>(total) * 1e-9,
               what);
    std::fflush(stderr);
  }

private:
  const bool terminal_ = ::isatty(STDERR_FILENO) == 1;
  bool shown_ = false;
  std::chrono::steady_clock::time_point last_;
};

} // namespace ds4
