// A launch being executed, as the schedulers see it.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <vector>

#include "runtime/providers/simulator/MemoryState.h"
#include "runtime/providers/simulator/Program.h"
#include "runtime/providers/simulator/Worker.h"

namespace ds4::sim {

// Which 64-byte lines of one range were touched, one bit each.
struct LineSets {
  std::vector<uint64_t> loaded, stored;
};

// Finds out that no wave of a launch can ever go on: every thread has seen all its workgroups spin (ResidentGroup::spins)
// while no thread changed memory, began or finished a workgroup.
class DeadlockWatch {
public:
  void join();
  void leave();
  // Counts changes of memory by this thread, and workgroups begun or ended.
  void changed(uint64_t count) { changes_ += count; }
  uint64_t changes() const { return changes_; }
  // This thread's workgroups spin, and have since changes() was `since`. True when that holds for all threads.
  bool spinning(const Worker *worker, uint64_t since);

private:
  std::atomic<uint64_t> changes_{0};
  std::mutex mutex_;
  unsigned threads_ = 0;
  std::map<const Worker *, uint64_t> spinning_;
};

struct LaunchContext : LaunchState {
  std::array<uint32_t, 3> grid{}, block{};
  uint32_t groups = 0, workItems = 0, wavesPerGroup = 0, ldsBytes = 0;
  uint64_t arguments = 0, packet = 0; // device addresses of the argument segment and the dispatch packet
  std::shared_ptr<const Snapshot> snapshot;
  std::vector<Range> allRanges;

  alignas(64) std::atomic<uint32_t> nextGroup{0}; // on a line of its own: threads fight for it, and read the rest
  alignas(64) std::atomic<uint64_t> executed{0}; // wave instructions so far, kept where a limit asks for it
  std::atomic<bool> stop{false};     // a worker met a fault
  DeadlockWatch deadlock;

  std::mutex resultMutex;
  Counters counters;
  std::vector<LineSets> lines; // by range, where lines are counted
  std::vector<uint64_t> executedByInstruction;
  std::exception_ptr failure;
};

// Runs the launch's workgroups on the calling thread and adds to its counters; called by each thread that takes part.
void runSequential(LaunchContext &context);
void runInterleaved(LaunchContext &context);

} // namespace ds4::sim
