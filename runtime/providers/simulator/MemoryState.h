// What Memory keeps: the valid ranges as an immutable sorted list that launches share, and which bytes were ever written.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/providers/simulator/Worker.h"

namespace ds4::sim {

// One bit for each byte of an allocation. Kernels set bits concurrently.
struct InitialisedBytes {
  explicit InitialisedBytes(uint64_t begin, uint64_t size) : begin(begin), bits((size + 63) / 64) {}
  uint64_t begin;
  std::vector<std::atomic<uint64_t>> bits;
  void mark(uint64_t address, uint64_t bytes);
  bool all(uint64_t address, uint64_t bytes) const;
};

struct Allocation {
  uint64_t size = 0;
  std::map<uint64_t, uint64_t> written; // by the host: begin to end, merged
  bool wholly = false;                  // a launch that did not track writes may have written any of it
  std::shared_ptr<InitialisedBytes> initialised;
};

// The ranges of one moment. Bit maps stay alive through `keepAlive`.
struct Snapshot {
  std::vector<Range> ranges;
  std::vector<std::shared_ptr<InitialisedBytes>> keepAlive;
};

struct Memory::State {
  mutable std::mutex mutex;
  std::map<uint64_t, Allocation> allocations;
  std::shared_ptr<const Snapshot> snapshot; // null after a change
  // The ranges now. With `tracked`, host writes so far are folded into bit maps and every range has one.
  std::shared_ptr<const Snapshot> take(bool tracked);
};

} // namespace ds4::sim
