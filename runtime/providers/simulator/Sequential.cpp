#include "runtime/providers/simulator/FloatMode.h"
#include "runtime/providers/simulator/LaunchContext.h"
#include "runtime/providers/simulator/WorkerStorage.h"

#include <algorithm>
#include <deque>

namespace ds4::sim {

void DeadlockWatch::join() {
  std::lock_guard lock(mutex_);
  threads_++;
  changes_++;
}

void DeadlockWatch::leave() {
  std::lock_guard lock(mutex_);
  threads_--;
  changes_++;
}

bool DeadlockWatch::spinning(const Worker *worker, uint64_t since) {
  std::lock_guard lock(mutex_);
  spinning_[worker] = since;
  const auto current = [this](const auto &entry) { return entry.second == changes_; };
  return unsigned(std::count_if(spinning_.begin(), spinning_.end(), current)) == threads_;
}

namespace {

// Workgroups set aside hold their registers; beyond this much of them a thread starts no new ones.
constexpr size_t kResidentBytes = size_t(256) << 20;

class SequentialRunner {
public:
  SequentialRunner(LaunchContext &context, WorkerStorage &storage)
      : context_(context), storage_(storage), worker_(storage.begin(context)), random_(context.options->seed) {}

  void run() {
    while (std::unique_ptr<ResidentGroup> group = next()) {
      const int64_t quantum = group->nextQuantum;
      if (group->run(context_, quantum, random_) == ResidentGroup::Outcome::Finished) {
        longestWave_ = std::max(longestWave_, group->longestWave());
        storage_.giveGroup(std::move(group));
        begunOrEnded_++;
        continue;
      }
      if (context_.stop.load(std::memory_order_relaxed))
        break;
      watchForDeadlock(*group);
      group->nextQuantum = quantum * 2; // long work is set aside ever more rarely
      residentBytes_ += group->bytes();
      setAside_.push_back(std::move(group));
    }
    storage_.end(worker_, context_, longestWave_);
  }

private:
  // A workgroup not begun yet comes before those set aside: what they wait for may be in it.
  std::unique_ptr<ResidentGroup> next() {
    if (residentBytes_ < kResidentBytes || setAside_.empty())
      if (const uint32_t index = context_.nextGroup.fetch_add(1); index < context_.groups) {
        std::unique_ptr<ResidentGroup> group = storage_.takeGroup();
        group->start(context_, worker_, index);
        begunOrEnded_++;
        return group;
      }
    if (setAside_.empty())
      return nullptr;
    std::unique_ptr<ResidentGroup> group = std::move(setAside_.front());
    setAside_.pop_front();
    residentBytes_ -= group->bytes();
    return group;
  }

  // Counts how many of this thread's workgroups in a row were found spinning with nothing changed in between.
  void watchForDeadlock(ResidentGroup &group) {
    if (context_.nextGroup.load() < context_.groups)
      return;
    const bool spins = group.spins(context_);
    const uint64_t changes = worker_.memoryChanges + begunOrEnded_;
    context_.deadlock.changed(changes - publishedChanges_);
    publishedChanges_ = changes;
    const uint64_t now = context_.deadlock.changes();
    spinning_ = !spins ? 0 : now == spinningSince_ ? spinning_ + 1 : 1;
    spinningSince_ = now;
    if (spinning_ > setAside_.size() && context_.deadlock.spinning(&worker_, now))
      group.raiseDeadlock();
  }

  LaunchContext &context_;
  WorkerStorage &storage_;
  Worker worker_;
  std::mt19937_64 random_;
  uint64_t begunOrEnded_ = 0, publishedChanges_ = 0, spinningSince_ = 0;
  size_t spinning_ = 0;
  std::deque<std::unique_ptr<ResidentGroup>> setAside_;
  size_t residentBytes_ = 0;
  uint64_t longestWave_ = 0;
};

} // namespace

void runSequential(LaunchContext &context) {
  FloatModeScope floatMode;
  context.deadlock.join();
  try {
    SequentialRunner(context, WorkerStorage::ofThisThread()).run();
  } catch (...) {
    std::lock_guard lock(context.resultMutex);
    if (!context.failure)
      context.failure = std::current_exception();
    context.stop = true;
  }
  context.deadlock.leave();
}

} // namespace ds4::sim
