#include "compiler/bench/PatternMemory.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <numeric>
#include <utility>

#include <sys/mman.h>
#include <unistd.h>

#include "support/Error.h"

namespace ds4 {

static constexpr size_t kPage = 4096, kMapped = 16u << 20; // a process may have some 65,000 mappings

PatternMemory::PatternMemory(std::span<const std::byte> pattern) {
  const size_t whole = std::lcm(pattern.size(), kPage);
  size_ = (kMapped + whole - 1) / whole * whole;
  file_ = memfd_create("ds4c pattern", MFD_CLOEXEC);
  if (file_ < 0)
    environmentError("cannot make a file in memory: {}", std::strerror(errno));
  std::vector<std::byte> pages(whole);
  for (size_t at = 0; at < whole; at += pattern.size())
    std::ranges::copy(pattern, pages.begin() + static_cast<ptrdiff_t>(at));
  for (size_t at = 0; at < size_; at += whole)
    if (pwrite(file_, pages.data(), whole, static_cast<off_t>(at)) != static_cast<ssize_t>(whole))
      environmentError("cannot write {} bytes of a file in memory: {}", whole, std::strerror(errno));
}

PatternMemory::PatternMemory(PatternMemory &&other) noexcept
    : file_(std::exchange(other.file_, -1)), size_(other.size_), mapped_(std::exchange(other.mapped_, {})) {}

PatternMemory::~PatternMemory() {
  for (std::span<std::byte> range : mapped_)
    munmap(range.data(), range.size());
  if (file_ >= 0)
    close(file_);
}

void *PatternMemory::map(size_t bytes) {
  const size_t whole = (std::max<size_t>(bytes, 1) + kPage - 1) / kPage * kPage;
  void *begin = mmap(nullptr, whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (begin == MAP_FAILED)
    environmentError("cannot reserve {} bytes of address space: {}", whole, std::strerror(errno));
  mapped_.push_back({static_cast<std::byte *>(begin), whole});
  for (size_t at = 0; at < whole; at += size_)
    if (mmap(static_cast<std::byte *>(begin) + at, std::min(size_, whole - at), PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, file_, 0) == MAP_FAILED)
      environmentError("cannot map {} bytes of a file in memory: {}", size_, std::strerror(errno));
  return begin;
}

} // namespace ds4
