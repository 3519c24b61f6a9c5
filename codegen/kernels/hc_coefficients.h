// hc_coefficients: streams [T, 4, D], fn [24, 4 D], base [24], scale [3] -> c [T, 24]:
// fn z * rsqrt(mean(z^2) + eps) * scale[group] + base, groups 0..3, 4..7, 8..23. One wave a coefficient; each computes
// the mean too, which saves a launch and a hand-over.
#pragma once

#include "row.h"
#include "step.h"

namespace ds4 {

template <typename Fn, typename Base, typename Scale, int Width, int Waves>
DS4_DEVICE void hcCoefficients(float eps, const float *streams, const void *fn, const void *base, const void *scale, float *c) {
  constexpr int kStreams = 4, kCoefficients = (2 + kStreams) * kStreams, kWidth = kStreams * Width;
  int row = blockX() * Waves + wave();
  if (row >= kCoefficients)
    return;
  const float *z = streams + tokenIndex() * kWidth;
  const Byte *weights = static_cast<const Byte *>(fn) + row * kRowBytes<Fn, kWidth>;
  float product = sumLanes(partialDot<Fn, kWidth, kWaveSize>(weights, 0, z, lane()));
  float squares = sumLanes(partialSquares<kWidth, kWaveSize>(z, lane()));
  float normalised = product * inverseSqrt(fma(squares, 1.0f / kWidth, eps));
  int group = row < kStreams ? 0 : row < 2 * kStreams ? 1 : 2;
  if (lane() == 0)
    c[tokenIndex() * kCoefficients + row] = fma(normalised, Scale::at(scale, group), Base::at(base, row));
}

} // namespace ds4
