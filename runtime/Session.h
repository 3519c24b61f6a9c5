// One sequence of tokens on an executor: keeps the position, feeds prompts, generates, goes back to earlier places.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/Executor.h"
#include "runtime/SessionImage.h"
#include "runtime/sampling/Sampling.h"
#include "runtime/speculation/Speculation.h"

namespace ds4 {

class Session {
public:
  // Called after a step, while its outputs can be read: position of its first token, and its width.
  using StepObserver = std::function<void(int64_t position, int64_t width)>;
  // The greatest number of tokens that rewind() takes back: what the state's rings have room for beyond the window.
  static constexpr int64_t kRewind = kMaxWidth;
  static constexpr size_t kMaxCheckpoints = 16;

  // The executor must outlive the session, and no other session may use it meanwhile.
  explicit Session(Executor &executor, SamplingOptions sampling = {});

  // Forgets everything.
  void reset();
  // Tokens processed so far, and their number.
  std::span<const int32_t> tokens() const { return std::span(tokens_).first(static_cast<size_t>(position_)); }
  int64_t position() const { return position_; }

  // Appends tokens in steps of up to `width`; 0: the plan's greatest, and as many as there are enough for in chunks. Outputs are
  // computed by the last step alone, and not even there when `more` prompt follows.
  // Throws ds4::Error (User) when the context is full.
  void feed(std::span<const int32_t> tokens, int width = 0, bool more = false);
  // Tokens of a chunk from now on: at most what the executor's prefill function takes, and by default that; 0: no chunks. Chosen
  // here, it holds for any number of tokens; by default a few that are left are read in steps.
  void setChunk(int64_t tokens);
  int64_t chunk() const { return chunk_; }
  // The same with all outputs of every step.
  void feedObserved(std::span<const int32_t> tokens, int width, const StepObserver &observe);

  // The token that follows all that was fed. Throws ds4::Error: User when the last token was not fed just now (the sequence
  // went back, or was restored), Internal when the logits are no numbers.
  int32_t nextToken() const;

  // Generates up to `count` tokens and feeds all but the last; `onToken` gets each as it is made, returning false stops.
  // `endToken` stops too, and is not returned. Returns the tokens. With `speculation` each step verifies drafts, too; the
  // tokens are the same.
  std::vector<int32_t> generate(int64_t count, std::optional<int32_t> endToken = {},
                                const std::function<bool(int32_t)> &onToken = {}, Speculation *speculation = nullptr);

  // Remembers this place. Costs memory for the state's rings (constant in the position); the oldest of many is given up.
  void checkpoint();
  // Goes back to the longest beginning shared with `tokens` that can be restored, leaving at least one of them to feed: by up
  // to kRewind tokens from here or from a checkpoint, else to the start. Returns the tokens kept.
  int64_t reuse(std::span<const int32_t> tokens);

  // All there is to know of the sequence: state, tokens, checkpoints. restore() throws ds4::Error (User) for an image of
  // another plan, and leaves the session as it was.
  SessionImage image() const;
  void restore(const SessionImage &image);

private:
  std::span<const int32_t> feedChunks(std::span<const int32_t> tokens, bool more);
  void append(std::span<const int32_t> tokens);
  void step(std::span<const int32_t> tokens, bool head);
  void advance(int32_t token, int64_t wanted, Speculation *speculation);
  bool rewindable(int64_t position) const { return position <= position_ && written_ - position <= kRewind; }
  std::vector<StateBytes> readStates(bool rings, int64_t position) const;
  void writeStates(const std::vector<StateBytes> &states);

  Executor &executor_;
  SamplingOptions sampling_;
  std::vector<int32_t> tokens_; // beyond position_: drafts and what was taken back
  int64_t position_ = 0;
  int64_t written_ = 0;                   // positions that some step wrote since the last reset or restore
  int64_t ahead_ = 0;                     // tokens after position_ that the last step processed and found right
  int64_t lastFirst_ = 0, lastWidth_ = 0; // width 0: of a chunk, which has no outputs
  int64_t chunk_ = 0, fewest_ = 0;        // tokens of a chunk at most, and at least
  std::vector<Checkpoint> checkpoints_;   // ascending positions
};

} // namespace ds4
