// head_norm: x [T, H, d] -> y = x * rsqrt(mean over the head + eps). One wave a head, Waves heads a workgroup.
#pragma once

#include "row.h"
#include "step.h"

namespace ds4 {

template <int Heads, int Width, int Waves> DS4_DEVICE void headNorm(float eps, const float *x, float *y, Workgroup workgroup) {
  constexpr int kRun = kQuad<Width>;
  int head = workgroup.x * Waves + wave();
  if (head >= Heads)
    return;
  int first = (workgroup.token * Heads + head) * Width;
  float squares = sumLanes(partialSquares<Width, kWaveSize>(x + first, lane()));
  float factor = inverseSqrt(fma(squares, 1.0f / Width, eps));
  forPart<Width / kRun, kWaveSize>(lane(), [&](int run) {
    float values[kRun];
    load<4 * kRun>(values, x + first, run * sizeof(values));
#pragma unroll
    for (float &value : values)
      value *= factor;
    store<4 * kRun>(y + first, run * sizeof(values), values);
  });
}

} // namespace ds4
