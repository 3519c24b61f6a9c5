// rms_norm: x [T, D], weight [D] -> y [T, D]: x * rsqrt(mean(x^2) + eps) * weight. One workgroup a token.
#pragma once

#include "row.h"
#include "step.h"

namespace ds4 {

template <typename Format, int Width, int Waves>
DS4_DEVICE void rmsNorm(float eps, const float *x, const void *weight, float *y, Workgroup workgroup) {
  constexpr int kRun = kQuad<Width>, kThreads = Waves * kWaveSize;
  DS4_SHARED float slots[Waves];
  const float *row = x + workgroup.token * Width;
  float *result = y + workgroup.token * Width;
  float squares = sumWaves<Waves>(sumLanes(partialSquares<Width, kThreads>(row, threadIndex())), slots);
  float factor = inverseSqrt(fma(squares, 1.0f / Width, eps));
  forPart<Width / kRun, kThreads>(threadIndex(), [&](int run) {
    float values[kRun];
    load<4 * kRun>(values, row, run * sizeof(values));
#pragma unroll
    for (int i = 0; i < kRun; ++i)
      values[i] *= factor * Format::at(weight, run * kRun + i);
    store<4 * kRun>(result, run * sizeof(values), values);
  });
}

} // namespace ds4
