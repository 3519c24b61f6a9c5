#include "runtime/providers/simulator/WorkerStorage.h"

#include <algorithm>

namespace ds4::sim {

WorkerStorage &WorkerStorage::ofThisThread() {
  static thread_local WorkerStorage storage;
  return storage;
}

Worker WorkerStorage::begin(const LaunchContext &context) {
  executed_.assign(context.program->size(), 0);
  rangeHints_.assign(context.program->size(), 0);
  Worker worker;
  worker.launch = &context;
  worker.ranges = context.ranges;
  worker.rangeHint = rangeHints_.data();
  worker.executed = executed_.data();
  if (context.options->countLines) {
    lines_.start(context);
    worker.lines = &lines_;
  }
  worker.observed = context.options->countLines || context.options->detectUninitialised;
  return worker;
}

void WorkerStorage::end(const Worker &worker, LaunchContext &context, uint64_t longestWave) {
  std::lock_guard lock(context.resultMutex);
  context.executedByInstruction.resize(executed_.size());
  for (size_t k = 0; k < executed_.size(); k++)
    context.executedByInstruction[k] += executed_[k];
  Counters &counters = context.counters;
  counters.bytesLoaded += worker.bytesLoaded;
  counters.bytesStored += worker.bytesStored;
  counters.scalarBytes += worker.scalarBytes;
  counters.longestWave = std::max(counters.longestWave, longestWave);
  if (worker.lines)
    lines_.addTo(context);
}

std::unique_ptr<ResidentGroup> WorkerStorage::takeGroup() {
  if (free_.empty())
    return std::make_unique<ResidentGroup>();
  auto group = std::move(free_.back());
  free_.pop_back();
  return group;
}

void WorkerStorage::giveGroup(std::unique_ptr<ResidentGroup> group) {
  constexpr size_t kKept = 4;
  if (free_.size() < kKept)
    free_.push_back(std::move(group));
}

} // namespace ds4::sim
