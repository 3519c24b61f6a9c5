// One sequence of tokens on an executor: keeps the position, feeds prompts, generates.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "runtime/Executor.h"
#include "runtime/sampling/Sampling.h"

namespace ds4 {

class Session {
public:
  // Called after a step, while its outputs can be read: position of its first token, and its width.
  using StepObserver = std::function<void(int64_t position, int64_t width)>;

  // The executor must outlive the session, and no other session may use it meanwhile.
  explicit Session(Executor &executor, SamplingOptions sampling = {});

  // Forgets everything.
  void reset();
  // Tokens processed so far.
  int64_t position() const { return position_; }

  // Appends tokens in steps of up to `width` (0 = the plan's greatest). Outputs are computed by the last step alone, and not
  // even there when `more` prompt follows.
  // Throws ds4::Error (User) when the context is full.
  void feed(std::span<const int32_t> tokens, int width = 0, bool more = false);
  // The same with all outputs of every step.
  void feedObserved(std::span<const int32_t> tokens, int width, const StepObserver &observe);

  // The token that follows all that was fed. Throws ds4::Error (Internal) when the logits are no numbers.
  int32_t nextToken() const;

  // Generates up to `count` tokens and feeds all but the last; `onToken` gets each as it is made, returning false stops.
  // `endToken` stops too, and is not returned. Returns the tokens.
  std::vector<int32_t> generate(int64_t count, std::optional<int32_t> endToken = {}, const std::function<bool(int32_t)> &onToken = {});

private:
  void step(std::span<const int32_t> tokens, bool head);

  Executor &executor_;
  SamplingOptions sampling_;
  int64_t position_ = 0, lastWidth_ = 0;
};

} // namespace ds4
