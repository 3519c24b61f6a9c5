#include "runtime/providers/simulator/FloatMode.h"
#include "runtime/providers/simulator/LaunchContext.h"
#include "runtime/providers/simulator/WeakMemory.h"
#include "runtime/providers/simulator/WorkerStorage.h"

#include <algorithm>

namespace ds4::sim {

namespace {

// How the next wave is chosen; the seed picks one. Priorities keep some waves far behind others.
enum class Choice { ShortBursts, LongBursts, WavePriority, GroupPriority };

class InterleavedRunner {
public:
  InterleavedRunner(LaunchContext &context, WorkerStorage &storage)
      : context_(context), storage_(storage), worker_(storage.begin(context)), random_(context.options->seed),
        choice_(Choice(context.options->seed % 4)), weak_(random_()) {
    if (context.options->adversarialMemory) {
      worker_.weak = &weak_;
      worker_.observed = true;
    }
    for (uint32_t index = 0; index < context.groups; index++) {
      groups_.push_back(std::make_unique<ResidentGroup>());
      groups_.back()->start(context, worker_, index);
      const uint64_t priority = random_();
      for (uint32_t k = 0; k < groups_.back()->waves(); k++)
        runnable_.push_back({index, k, choice_ == Choice::GroupPriority ? priority : random_()});
    }
  }

  void run() {
    while (!runnable_.empty()) {
      const size_t at = choose();
      const Place place = runnable_[at];
      ResidentGroup &group = *groups_[place.group];
      Wave &wave = group.wave(place.wave);
      const uint64_t longest = choice_ == Choice::ShortBursts ? 8 : 300;
      group.burst(context_, wave, int64_t(1 + random_() % longest));
      if (wave.state == WaveState::Running)
        continue;
      runnable_[at] = runnable_.back();
      runnable_.pop_back();
      if (wave.state == WaveState::AtBarrier)
        waiting_.push_back(place);
      if (group.releaseBarrier())
        wake(place.group);
    }
    uint64_t longestWave = 0;
    for (const auto &group : groups_)
      longestWave = std::max(longestWave, group->longestWave());
    storage_.end(worker_, context_, longestWave);
  }

private:
  struct Place {
    uint32_t group, wave;
    uint64_t priority;
  };

  size_t choose() {
    size_t at = random_() % runnable_.size();
    if (choice_ == Choice::ShortBursts || choice_ == Choice::LongBursts)
      return at;
    const auto lower = [](const Place &a, const Place &b) { return a.priority < b.priority; };
    at = size_t(std::max_element(runnable_.begin(), runnable_.end(), lower) - runnable_.begin());
    if (random_() % 64 == 0) // now and then another one leads, so that spinning waves do not starve the rest
      runnable_[at].priority = random_();
    return at;
  }

  void wake(uint32_t group) {
    const auto sleeping = std::partition(waiting_.begin(), waiting_.end(), [group](const Place &p) { return p.group != group; });
    runnable_.insert(runnable_.end(), sleeping, waiting_.end());
    waiting_.erase(sleeping, waiting_.end());
  }

  LaunchContext &context_;
  WorkerStorage &storage_;
  Worker worker_;
  std::mt19937_64 random_;
  Choice choice_;
  WeakMemory weak_;
  std::vector<std::unique_ptr<ResidentGroup>> groups_;
  std::vector<Place> runnable_, waiting_;
};

} // namespace

void runInterleaved(LaunchContext &context) {
  FloatModeScope floatMode;
  InterleavedRunner(context, WorkerStorage::ofThisThread()).run();
}

} // namespace ds4::sim
