#include "runtime/providers/simulator/api/DeviceHeap.h"

#include <algorithm>
#include <fstream>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

namespace ds4::sim {
namespace {

size_t pageBytes() {
  static const size_t bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

// The kernel's own estimate of what programs can still have, in bytes.
size_t hostAvailableBytes() {
  std::ifstream file("/proc/meminfo");
  std::string key, unit;
  size_t kibibytes = 0;
  while (file >> key >> kibibytes) {
    if (key == "MemAvailable:")
      return kibibytes * 1024;
    std::getline(file, unit);
  }
  return DeviceHeap::totalBytes();
}

} // namespace

void *DeviceHeap::allocate(size_t bytes, bool initialised) {
  if (bytes > freeBytes())
    return nullptr;
  const size_t page = pageBytes();
  const size_t inner = (bytes + page - 1) / page * page;
  void *begin = mmap(nullptr, inner + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (begin == MAP_FAILED)
    return nullptr;
  void *base = static_cast<std::byte *>(begin) + page;
  if (mprotect(base, inner, PROT_READ | PROT_WRITE) != 0) {
    munmap(begin, inner + 2 * page);
    return nullptr;
  }
  std::lock_guard lock(mutex_);
  mappings_[base] = {begin, inner + 2 * page};
  allocated_ += inner;
  ranges_.add(base, bytes);
  if (initialised)
    ranges_.markInitialised(base, bytes);
  return base;
}

bool DeviceHeap::release(void *base) {
  std::lock_guard lock(mutex_);
  const auto found = mappings_.find(base);
  if (found == mappings_.end())
    return false;
  ranges_.remove(base);
  munmap(found->second.begin, found->second.bytes);
  allocated_ -= found->second.bytes - 2 * pageBytes();
  mappings_.erase(found);
  return true;
}

size_t DeviceHeap::totalBytes() { return static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * pageBytes(); }

// Pages that were handed out but never touched still count as available to the host, so both bounds are needed.
size_t DeviceHeap::freeBytes() const {
  std::lock_guard lock(mutex_);
  const size_t total = totalBytes();
  return std::min(hostAvailableBytes(), total - std::min(total, allocated_));
}

} // namespace ds4::sim
