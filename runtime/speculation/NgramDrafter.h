// Prompt look-up: what followed the last few tokens when they stood earlier in the context. Needs no weights, and is right
// where a text repeats itself: code that is edited, names, quotations, loops.
#pragma once

#include <array>
#include <unordered_map>

#include "runtime/speculation/Drafter.h"

namespace ds4 {

class NgramDrafter : public Drafter {
public:
  // Finds the longest of the last kLongest..kShortest tokens that occurred before, its latest occurrence, and repeats what
  // followed; a period shorter than `count` is repeated. Time is proportional to what is new in the context.
  static constexpr size_t kLongest = 4, kShortest = 2;

  Draft draft(std::span<const int32_t> context, int count) override;

private:
  void index(std::span<const int32_t> context);

  std::vector<int32_t> indexed_; // the context of the last call
  // For each length: hash of an n-gram to the end of its latest occurrence, the context's own end left out.
  std::array<std::unordered_map<uint64_t, size_t>, kLongest + 1> ends_;
};

} // namespace ds4
