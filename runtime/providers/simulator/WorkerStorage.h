// Buffers of a thread that outlive launches, so that a small launch allocates nothing.
#pragma once

#include <memory>
#include <vector>

#include "runtime/providers/simulator/LineCounter.h"
#include "runtime/providers/simulator/ResidentGroup.h"

namespace ds4::sim {

class WorkerStorage {
public:
  static WorkerStorage &ofThisThread();
  // A worker for the launch, its per-instruction arrays cleared.
  Worker begin(const LaunchContext &context);
  // Adds what the worker counted to the launch.
  void end(const Worker &worker, LaunchContext &context, uint64_t longestWave);

  std::unique_ptr<ResidentGroup> takeGroup();
  void giveGroup(std::unique_ptr<ResidentGroup> group);

private:
  std::vector<uint64_t> executed_;
  std::vector<uint32_t> rangeHints_;
  std::vector<std::unique_ptr<ResidentGroup>> free_;
  LineCounter lines_;
};

} // namespace ds4::sim
