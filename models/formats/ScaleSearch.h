// The reference quantizer of the ROCmFPX formats: for each group of weights the scale byte whose decoded weights have the
// least sum of squared errors in binary32, the lower byte of equals, by a search that is exhaustive in its result.
//
// The rounding rule is a template argument, so that the inner loop holds it inline. Private to models/formats/.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "models/formats/RocmFpx.h"

namespace ds4 {

// The byte in 1..126 whose scale is nearest to `scale`, ties to the lower byte.
int nearestScaleByte(float scale);

// Weights of the squared errors: importance * sqrt(mean square of the row + x^2); empty for no importance. An importance
// that is not finite or not positive counts as 0.
std::vector<float> errorWeights(std::span<const float> row, std::span<const float> importance);

template <LevelRule rule> class ScaleSearch {
public:
  // `weights` are finite, not all zero; `errorWeights` may be empty.
  ScaleSearch(std::span<const float> weights, std::span<const float> errorWeights)
      : weights_(weights), errorWeights_(errorWeights) {
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
      const float shortfall = greatest - rule.greatest * scaleOfByte(byte);
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
      const float difference = weights_[i] - static_cast<float>(rule.level(rule.code(weights_[i] * inverse))) * scale;
      sum += weighted(i, difference * difference);
      if (sum > bestError_)
        return;
    }
    if (sum < bestError_ || byte < best_) {
      bestError_ = sum;
      best_ = byte;
    }
  }

  std::span<const float> weights_, errorWeights_;
  size_t extreme_ = 0;
  float bestError_ = std::numeric_limits<float>::infinity();
  int best_ = kGreatestScaleByte + 1;
};

// Quantizes the weights of one scale: fills `codes`, returns the scale byte; 0 when no weight is finite and non-zero.
template <LevelRule rule>
int quantizeGroup(std::span<const float> weights, std::span<const float> errorWeights, std::span<int> codes) {
  std::array<float, 32> finite;
  std::transform(weights.begin(), weights.end(), finite.begin(), finiteOrZero);
  const std::span<const float> group(finite.data(), weights.size());
  std::fill(codes.begin(), codes.end(), rule.zero);
  const float greatest = greatestMagnitude(group);
  if (greatest == 0.0f)
    return 0;
  int byte = nearestScaleByte(greatest / rule.greatest);
  if (rule.searchesUnweighted || !errorWeights.empty())
    byte = ScaleSearch<rule>(group, errorWeights).run(byte);
  const float inverse = 1.0f / scaleOfByte(byte);
  std::transform(group.begin(), group.end(), codes.begin(), [&](float x) { return rule.code(x * inverse); });
  return byte;
}

// The loop of every encodeRow: quantizes each block of 32 with one scale per `group` weights. pack(codes, block) writes the
// payload into zeroed bytes; the scales go to the block's end.
template <LevelRule rule, int group, int bytes, typename Pack>
void encodeGroups(std::span<const float> row, std::span<const float> importance, std::byte *out, Pack pack) {
  const std::vector<float> errors = errorWeights(row, importance);
  for (size_t i = 0; i < row.size(); i += 32, out += bytes) {
    std::array<int, 32> codes;
    std::array<int, 32 / group> scales;
    for (int g = 0; g < 32 / group; ++g) {
      const size_t first = i + g * group;
      const auto ofGroup = errors.empty() ? std::span<const float>() : std::span(errors).subspan(first, group);
      scales[g] = quantizeGroup<rule>(row.subspan(first, group), ofGroup, std::span(codes).subspan(g * group, group));
    }
    std::fill_n(out, bytes, std::byte{0});
    pack(codes, out);
    for (int g = 0; g < 32 / group; ++g)
      out[bytes - 32 / group + g] = static_cast<std::byte>(scales[g]);
  }
}

} // namespace ds4
