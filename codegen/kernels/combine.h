// combine: y [T, U, D], weights [T, U] -> out [T, D]: sum_u weights[u] * y[u] in slot order. Slots of weight 0 are not
// read. A thread takes kQuad<D> channels.
#pragma once

#include "row.h"
#include "step.h"

namespace ds4 {

template <int Used, int Width, int Threads> DS4_DEVICE void combine(const float *y, const float *weights, float *out) {
  constexpr int kRun = kQuad<Width>;
  int token = tokenIndex(), channel = (blockX() * Threads + threadIndex()) * kRun;
  if (channel >= Width)
    return;
  float sum[kRun] = {};
#pragma unroll
  for (int slot = 0; slot < Used; ++slot) {
    float weight = weights[token * Used + slot];
    if (weight == 0)
      continue;
    float values[kRun];
    load<4 * kRun>(values, y + (token * Used + slot) * Width, channel * 4);
#pragma unroll
    for (int i = 0; i < kRun; ++i)
      sum[i] = fma(weight, values[i], sum[i]);
  }
  store<4 * kRun>(out + token * Width, channel * 4, sum);
}

} // namespace ds4
