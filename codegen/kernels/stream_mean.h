// stream_mean: streams [T, S, D] -> y [T, D]: their mean. A thread takes kQuad<D> channels.
#pragma once

#include "row.h"
#include "step.h"

namespace ds4 {

template <int Width, int Streams, int Threads> DS4_DEVICE void streamMean(const float *streams, float *y) {
  constexpr int kRun = kQuad<Width>;
  int token = tokenIndex(), channel = (blockX() * Threads + threadIndex()) * kRun;
  if (channel >= Width)
    return;
  float sum[kRun] = {};
#pragma unroll
  for (int stream = 0; stream < Streams; ++stream) {
    float values[kRun];
    load<4 * kRun>(values, streams + (token * Streams + stream) * Width, channel * 4);
#pragma unroll
    for (int i = 0; i < kRun; ++i)
      sum[i] += values[i];
  }
#pragma unroll
  for (float &value : sum)
    value *= 1.0f / Streams;
  store<4 * kRun>(y + token * Width, channel * 4, sum);
}

} // namespace ds4
