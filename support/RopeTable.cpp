#include "support/RopeTable.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ds4 {

// The (fractional) pair that completes `turns` rotations over the original context.
static double pairOfTurns(const RopeParameters &rope, double turns) {
  return rope.dims * std::log(rope.originalContext / (turns * 2 * std::numbers::pi)) / (2 * std::log(rope.base));
}

std::vector<float> ropeFrequencies(const RopeParameters &rope) {
  double low = 0, high = 0;
  if (rope.factor != 1) {
    low = std::max(std::floor(pairOfTurns(rope, rope.betaFast)), 0.0);
    high = std::min(std::ceil(pairOfTurns(rope, rope.betaSlow)), rope.dims - 1.0);
  }
  std::vector<float> frequencies(rope.dims / 2);
  for (size_t i = 0; i < frequencies.size(); ++i) {
    double frequency = std::pow(rope.base, -2.0 * i / rope.dims);
    if (rope.factor != 1) {
      double ramp = std::clamp((i - low) / std::max(high - low, 1e-3), 0.0, 1.0);
      frequency = frequency / rope.factor * ramp + frequency * (1 - ramp);
    }
    frequencies[i] = static_cast<float>(frequency);
  }
  return frequencies;
}

} // namespace ds4
