// Guesses the next tokens of a sequence, so that one step of the model can check several.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ds4 {

struct Draft {
  std::vector<int32_t> tokens;
  // For each token the drafter's probability that the model agrees, given that it agreed with those before. Empty: it has none.
  std::vector<float> confidence;
};

class Drafter {
public:
  virtual ~Drafter() = default;
  // Up to `count` tokens that may follow `context`, all confirmed tokens of the sequence. Fewer, or none, where it has no idea.
  // A wrong guess costs time, never a wrong token. The context of the next call need not continue this one.
  virtual Draft draft(std::span<const int32_t> context, int count) = 0;
};

} // namespace ds4
