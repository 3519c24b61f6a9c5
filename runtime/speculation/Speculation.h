// Speculative decoding of one request: a drafter, a control of the width, and what came of it.
//
// The model's step gives the next token behind every row, so a draft is right exactly when it is the token that plain
// decoding would have made there, sampled ones included (their random number belongs to the position, not to the step).
// That is exact rejection sampling for drafts without a distribution of their own: a draft of probability p is accepted
// with probability p, and the token that replaces a rejected one follows the remaining distribution.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "runtime/speculation/Drafter.h"
#include "runtime/speculation/WidthControl.h"

namespace ds4 {

struct SpeculationCounts {
  int64_t steps = 0;    // of the model
  int64_t drafted = 0;  // drafts verified
  int64_t accepted = 0; // of them right
  std::array<int64_t, 9> stepsOfWidth{};
};

class Speculation {
public:
  Speculation(std::unique_ptr<Drafter> drafter, std::unique_ptr<WidthControl> control);

  // Drafts to verify behind the last token of `context`, at most `most` - 1.
  std::span<const int32_t> propose(std::span<const int32_t> context, int most);
  // The step of the last proposal found its first `accepted` drafts right.
  void settle(int accepted, double milliseconds);

  const SpeculationCounts &counts() const { return counts_; }
  // One line: steps, tokens a step, drafts accepted.
  std::string describe() const;

private:
  std::unique_ptr<Drafter> drafter_;
  std::unique_ptr<WidthControl> control_;
  Draft draft_;
  SpeculationCounts counts_;
};

} // namespace ds4
