// hc_write: y [T, D], streams [T, 4, D], post [T, 4], comb [T, 4, 4] -> X' [T, 4, D]:
// X'[k] = post[k] y + sum_j comb[j][k] X[j]. A thread takes kQuad<D> channels of all four streams.
#pragma once

#include "row.h"
#include "step.h"

namespace ds4 {

template <int Width, int Threads>
DS4_DEVICE void hcWrite(const float *y, const float *streams, const float *post, const float *comb, float *out,
                        Workgroup workgroup) {
  constexpr int kRun = kQuad<Width>, kStreams = 4;
  int token = workgroup.token, channel = (workgroup.x * Threads + threadIndex()) * kRun;
  if (channel >= Width)
    return;
  float addend[kRun], before[kStreams][kRun], after[kRun];
  load<4 * kRun>(addend, y + token * Width, channel * 4);
#pragma unroll
  for (int j = 0; j < kStreams; ++j)
    load<4 * kRun>(before[j], streams + (token * kStreams + j) * Width, channel * 4);
#pragma unroll
  for (int k = 0; k < kStreams; ++k) {
#pragma unroll
    for (int i = 0; i < kRun; ++i) {
      after[i] = post[token * kStreams + k] * addend[i];
#pragma unroll
      for (int j = 0; j < kStreams; ++j)
        after[i] = fma(comb[(token * kStreams + j) * kStreams + k], before[j][i], after[i]);
    }
    store<4 * kRun>(out + (token * kStreams + k) * Width, channel * 4, after);
  }
}

} // namespace ds4
