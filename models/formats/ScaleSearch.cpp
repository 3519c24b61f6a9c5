#include "models/formats/ScaleSearch.h"

namespace ds4 {

int nearestScaleByte(float scale) {
  const auto first = kScaleOfByte.begin() + 1, last = kScaleOfByte.begin() + kGreatestScaleByte;
  const auto above = std::lower_bound(first, last, scale); // the last byte also for all beyond it
  const bool belowIsNearer = above != first && scale - above[-1] <= *above - scale;
  return static_cast<int>(above - kScaleOfByte.begin()) - belowIsNearer;
}

std::vector<float> errorWeights(std::span<const float> row, std::span<const float> importance) {
  if (importance.empty())
    return {};
  float sum = 0.0f;
  double wideSum = 0.0;
  for (float weight : row) {
    const float x = finiteOrZero(weight);
    sum += x * x;
    wideSum += static_cast<double>(x) * x;
  }
  const auto count = static_cast<float>(row.size());
  const float mean = std::isfinite(sum) ? sum / count
                                        : static_cast<float>(std::min<double>(wideSum / count, std::numeric_limits<float>::max()));
  std::vector<float> weights(row.size());
  for (size_t i = 0; i < row.size(); ++i) {
    const float x = finiteOrZero(row[i]);
    if (std::isfinite(importance[i]) && importance[i] > 0.0f)
      weights[i] = importance[i] * std::sqrt(mean + x * x);
  }
  return weights;
}

} // namespace ds4
