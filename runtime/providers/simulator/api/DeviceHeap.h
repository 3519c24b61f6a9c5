// The device's memory: pages of the host, each allocation between two pages that nobody may touch.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>

#include "runtime/providers/simulator/Machine.h"

namespace ds4::sim {

// Thread-safe. Every allocation is known to `ranges`, to the byte.
class DeviceHeap {
public:
  // Null when the host has not that much memory left. `initialised`: the host may write it unseen (pinned memory).
  void *allocate(size_t bytes, bool initialised);
  bool release(void *base); // false when `base` is no allocation's start
  size_t freeBytes() const;
  static size_t totalBytes();
  Memory &ranges() { return ranges_; }

private:
  struct Mapping {
    void *begin;
    size_t bytes;
  };
  mutable std::mutex mutex_;
  std::map<void *, Mapping> mappings_; // by the address handed out
  size_t allocated_ = 0;
  Memory ranges_;
};

} // namespace ds4::sim
