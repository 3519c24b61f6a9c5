// hc_read: streams [T, 4, D], pre [T, 4] -> x [T, D]: sum_i pre[i] X[i]. A thread takes kQuad<D> channels.
#pragma once

#include "row.h"
#include "step.h"

namespace ds4 {

template <int Width, int Threads> DS4_DEVICE void hcRead(const float *streams, const float *pre, float *x) {
  constexpr int kRun = kQuad<Width>, kStreams = 4;
  int token = tokenIndex(), channel = (blockX() * Threads + threadIndex()) * kRun;
  if (channel >= Width)
    return;
  float sum[kRun] = {};
#pragma unroll
  for (int stream = 0; stream < kStreams; ++stream) {
    float values[kRun];
    load<4 * kRun>(values, streams + (token * kStreams + stream) * Width, channel * 4);
#pragma unroll
    for (int i = 0; i < kRun; ++i)
      sum[i] = fma(pre[token * kStreams + stream], values[i], sum[i]);
  }
  store<4 * kRun>(x + token * Width, channel * 4, sum);
}

} // namespace ds4
