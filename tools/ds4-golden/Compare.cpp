#include "tools/ds4-golden/Compare.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>

#include "support/Error.h"

namespace ds4::golden {

static void requireSameSize(std::span<const float> a, std::span<const float> b) {
  if (a.size() != b.size())
    internalError("compared values differ in number: {} and {}", a.size(), b.size());
}

double relativeRms(std::span<const float> actual, std::span<const float> expected) {
  requireSameSize(actual, expected);
  if (expected.empty())
    return 0;
  double error = 0, norm = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    double difference = static_cast<double>(actual[i]) - expected[i];
    error += difference * difference;
    norm += static_cast<double>(expected[i]) * expected[i];
  }
  return std::sqrt(error / (norm > 0 ? norm : static_cast<double>(expected.size())));
}

double greatestDifference(std::span<const float> actual, std::span<const float> expected) {
  requireSameSize(actual, expected);
  double greatest = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    double difference = std::abs(static_cast<double>(actual[i]) - expected[i]);
    if (!(difference <= greatest))
      greatest = difference;
    if (std::isnan(greatest))
      break;
  }
  return greatest;
}

double logSumExp(std::span<const float> logits) {
  double greatest = -std::numeric_limits<double>::infinity(), sum = 0;
  for (float logit : logits)
    greatest = std::max<double>(greatest, logit);
  for (float logit : logits)
    sum += std::exp(logit - greatest);
  return greatest + std::log(sum);
}

double klDivergence(std::span<const float> expected, std::span<const float> actual) {
  requireSameSize(actual, expected);
  double expectedSum = logSumExp(expected), actualSum = logSumExp(actual), divergence = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    double logP = expected[i] - expectedSum, logQ = actual[i] - actualSum;
    divergence += std::exp(logP) * (logP - logQ);
  }
  return divergence;
}

double klDivergence(const TopLogits &expected, std::span<const float> actual) {
  double actualSum = logSumExp(actual), divergence = 0, restP = 1, restQ = 1;
  for (size_t i = 0; i < expected.ids.size(); ++i) {
    double logP = expected.logits[i] - expected.logSumExp, logQ = actual[expected.ids[i]] - actualSum;
    divergence += std::exp(logP) * (logP - logQ);
    restP -= std::exp(logP);
    restQ -= std::exp(logQ);
  }
  constexpr double kRounding = 1e-6; // of the stored normaliser: a smaller rest has no digits left
  if (restP > kRounding && restQ > kRounding)
    divergence += restP * std::log(restP / restQ);
  return divergence;
}

std::vector<int32_t> setDifference(std::span<const int32_t> a, std::span<const int32_t> b) {
  std::set<int32_t> first(a.begin(), a.end()), second(b.begin(), b.end());
  first.erase(-1);
  second.erase(-1);
  std::vector<int32_t> difference;
  std::ranges::set_symmetric_difference(first, second, std::back_inserter(difference));
  return difference;
}

double choiceMargin(int32_t id, std::span<const float> scores, int64_t k) {
  int64_t count = static_cast<int64_t>(scores.size());
  if (id < 0 || id >= count || k < 1 || k >= count)
    return std::numeric_limits<double>::infinity();
  std::vector<float> sorted(scores.begin(), scores.end());
  std::ranges::sort(sorted, std::greater());
  float worstSelected = sorted[k - 1], bestLeftOut = sorted[k];
  return scores[id] >= worstSelected ? scores[id] - bestLeftOut : worstSelected - scores[id];
}

} // namespace ds4::golden
