// Address space that repeats one pattern: stands in for tensors of any size, and costs the memory of the pattern alone.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace ds4 {

class PatternMemory {
public:
  // Repeats `pattern` until it is a fit size to map many times. Throws ds4::Error (Environment).
  explicit PatternMemory(std::span<const std::byte> pattern);
  ~PatternMemory();
  PatternMemory(PatternMemory &&other) noexcept;
  PatternMemory &operator=(PatternMemory &&) = delete;

  // `bytes` bytes that start with the pattern, at an address of their own; valid as long as this object. Writes stay private to the
  // page.
  void *map(size_t bytes);

private:
  int file_ = -1;
  size_t size_ = 0;
  std::vector<std::span<std::byte>> mapped_;
};

} // namespace ds4
