// How far computed values are from expected ones. Plain functions of numbers; sizes must agree (ds4::Error, Internal).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ds4::golden {

// sqrt(sum (actual - expected)^2 / sum expected^2); the plain root mean square where all of `expected` is zero; 0 when empty.
double relativeRms(std::span<const float> actual, std::span<const float> expected);
// The greatest |actual - expected|; NaN when any difference is.
double greatestDifference(std::span<const float> actual, std::span<const float> expected);

// ln sum exp(logits)
double logSumExp(std::span<const float> logits);

// What a file of expected values keeps of a distribution: its greatest logits, and the normaliser.
struct TopLogits {
  std::vector<int32_t> ids;
  std::vector<float> logits;
  double logSumExp = 0;
};

// Kullback-Leibler divergence of `actual` from `expected` in nats, over the whole vocabulary.
double klDivergence(std::span<const float> expected, std::span<const float> actual);
// The same with all tokens outside the top counted as one event: a lower bound of the former.
double klDivergence(const TopLogits &expected, std::span<const float> actual);

// Ids that are in exactly one of the two sets, ascending. Order, repetition and padding (-1) do not matter.
std::vector<int32_t> setDifference(std::span<const int32_t> a, std::span<const int32_t> b);

// By how much the k best of `scores` would have to be off for `id` to change sides: the distance of its
// score from the best one left out when it is selected, else from the worst selected one. Infinite for an id without a score.
double choiceMargin(int32_t id, std::span<const float> scores, int64_t k);

} // namespace ds4::golden
