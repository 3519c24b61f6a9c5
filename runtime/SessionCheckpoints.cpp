// Going back: checkpoints, reuse of a beginning, images of a session.
#include <algorithm>

#include "runtime/Session.h"
#include "support/Error.h"

namespace ds4 {

namespace {

bool isRing(const PlanState &state) { return state.kind == "window" || state.kind == "open"; }

// Bytes of a state that hold something at `position`: all of a ring; of rows one for each `ratio` tokens, where the state has
// room for context / ratio of them, rounded down.
uint64_t bytesInUse(const PlanState &state, int64_t position, int64_t context) {
  if (isRing(state))
    return state.bytes();
  const int64_t rows = std::min(state.rows, position * (state.rows + 1) / context);
  return state.bytes() / static_cast<uint64_t>(state.rows) * static_cast<uint64_t>(rows);
}

// An image that restore() could not work with.
void checkImage(const SessionImage &image, const Plan &plan) {
  const auto fits = [&](const std::vector<StateBytes> &states) {
    return std::ranges::all_of(states, [&](const StateBytes &entry) {
      return entry.state < plan.states.size() && entry.bytes.size() <= plan.states[entry.state].bytes();
    });
  };
  const auto length = static_cast<int64_t>(image.tokens.size());
  bool right = fits(image.states) && length <= plan.context && image.written >= length && image.written <= plan.context;
  int64_t before = 0;
  for (const Checkpoint &checkpoint : image.checkpoints) {
    right = right && fits(checkpoint.states) && checkpoint.position > before && checkpoint.position <= length &&
            checkpoint.written >= checkpoint.position;
    before = checkpoint.position;
  }
  if (!right)
    userError("the stored sequence contradicts itself: delete it, or begin another with --session");
}

} // namespace

std::vector<StateBytes> Session::readStates(bool ringsOnly, int64_t position) const {
  std::vector<StateBytes> states;
  const Plan &plan = executor_.plan();
  for (uint32_t i = 0; i < plan.states.size(); ++i) {
    if (ringsOnly && !isRing(plan.states[i]))
      continue;
    states.push_back({i, std::vector<std::byte>(bytesInUse(plan.states[i], position, plan.context))});
    executor_.downloadState(i, states.back().bytes);
  }
  return states;
}

void Session::writeStates(const std::vector<StateBytes> &states) {
  for (const StateBytes &state : states)
    executor_.uploadState(state.state, state.bytes);
}

void Session::checkpoint() {
  if (position_ == 0 || (!checkpoints_.empty() && checkpoints_.back().position == position_))
    return;
  if (checkpoints_.size() == kMaxCheckpoints)
    checkpoints_.erase(checkpoints_.begin());
  checkpoints_.push_back({position_, written_, readStates(/*ringsOnly=*/true, position_)});
}

int64_t Session::reuse(std::span<const int32_t> tokens) {
  const auto shared = std::ranges::mismatch(this->tokens(), tokens).in2 - tokens.begin();
  const int64_t goal = std::min<int64_t>(shared, static_cast<int64_t>(tokens.size()) - 1);
  ahead_ = 0;
  if (goal <= 0) {
    reset();
    return 0;
  }
  if (!rewindable(goal)) {
    // The first checkpoint at or behind the goal, if the rings reach back from there; else the last before it.
    auto at = std::ranges::lower_bound(checkpoints_, goal, {}, &Checkpoint::position);
    if (at == checkpoints_.end() || at->written - goal > kRewind) {
      if (at == checkpoints_.begin()) {
        reset();
        return 0;
      }
      --at;
    }
    writeStates(at->states);
    written_ = at->written;
    lastWidth_ = 0;
    position_ = at->position;
  }
  position_ = std::min(position_, goal);
  // What follows overwrites rows that later places need.
  std::erase_if(checkpoints_, [&](const Checkpoint &checkpoint) { return checkpoint.position > position_; });
  return position_;
}

SessionImage Session::image() const {
  SessionImage image;
  image.plan = planIdentity(executor_.plan());
  image.tokens.assign(tokens().begin(), tokens().end());
  image.written = written_;
  image.states = readStates(/*ringsOnly=*/false, position_);
  image.checkpoints = checkpoints_;
  return image;
}

void Session::restore(const SessionImage &image) {
  const Plan &plan = executor_.plan();
  if (image.plan != planIdentity(plan))
    userError("the stored sequence belongs to another model or plan: run it with that plan, or begin another with --session");
  checkImage(image, plan);
  reset();
  writeStates(image.states);
  tokens_ = image.tokens;
  position_ = static_cast<int64_t>(tokens_.size());
  written_ = image.written;
  checkpoints_ = image.checkpoints;
}

} // namespace ds4
