#include "models/formats/RocmFpx.h"

#include <limits>

namespace ds4 {

int nearestScaleByte(float scale) {
  int best = 1;
  for (int byte = 2; byte <= kGreatestScaleByte; ++byte)
    if (std::fabs(scaleOfByte(byte) - scale) < std::fabs(scaleOfByte(best) - scale))
      best = byte;
  return best;
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

namespace {

class ScaleSearch {
public:
  ScaleSearch(const LevelRule &rule, std::span<const float> weights, std::span<const float> errorWeights)
      : rule_(rule), weights_(weights), errorWeights_(errorWeights) {
    for (size_t i = 0; i < weights.size(); ++i)
      if (std::fabs(weights[i]) > std::fabs(weights[extreme_]))
        extreme_ = i;
  }

  // The result of a scan over all bytes from 1 to 126 that keeps the first minimum. Starting near the likely minimum lets
  // most candidates be given up after a few weights; below it the extreme weight's error alone rules out whole ranges, and
  // well above twice the extreme every weight rounds to zero, so that no further byte can do better.
  int run(int start) {
    tryByte(start);
    const float greatest = std::fabs(weights_[extreme_]);
    for (int byte = start - 1; byte >= 1; --byte) {
      const float shortfall = greatest - rule_.greatest * scaleOfByte(byte);
      if (shortfall > 0.0f && weighted(extreme_, shortfall * shortfall) > bestError_)
        break;
      tryByte(byte);
    }
    for (int byte = start + 1; byte <= kGreatestScaleByte; ++byte) {
      tryByte(byte);
      if (scaleOfByte(byte) > 4.0f * greatest)
        break;
    }
    return best_;
  }

private:
  float weighted(size_t i, float error) const { return errorWeights_.empty() ? error : errorWeights_[i] * error; }

  void tryByte(int byte) {
    const float scale = scaleOfByte(byte), inverse = 1.0f / scale;
    float sum = 0.0f;
    for (size_t i = 0; i < weights_.size(); ++i) {
      const float difference = weights_[i] - static_cast<float>(rule_.level(rule_.code(weights_[i] * inverse))) * scale;
      sum += weighted(i, difference * difference);
      if (sum > bestError_)
        return;
    }
    if (sum < bestError_ || byte < best_) {
      bestError_ = sum;
      best_ = byte;
    }
  }

  const LevelRule &rule_;
  std::span<const float> weights_, errorWeights_;
  size_t extreme_ = 0;
  float bestError_ = std::numeric_limits<float>::infinity();
  int best_ = kGreatestScaleByte + 1;
};

} // namespace

int quantizeGroup(const LevelRule &rule, std::span<const float> weights, std::span<const float> errorWeights,
                  std::span<int> codes) {
  std::array<float, 32> finite;
  std::transform(weights.begin(), weights.end(), finite.begin(), finiteOrZero);
  const std::span<const float> group(finite.data(), weights.size());
  std::fill(codes.begin(), codes.end(), rule.zero);
  const float greatest = greatestMagnitude(group);
  if (greatest == 0.0f)
    return 0;
  int byte = nearestScaleByte(greatest / rule.greatest);
  if (rule.searchesUnweighted || !errorWeights.empty())
    byte = ScaleSearch(rule, group, errorWeights).run(byte);
  const float inverse = 1.0f / scaleOfByte(byte);
  std::transform(group.begin(), group.end(), codes.begin(), [&](float x) { return rule.code(x * inverse); });
  return byte;
}

} // namespace ds4
