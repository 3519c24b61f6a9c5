// hc_head: streams [T, 4, D], fn [4, 4 D], base [4], scale [1] -> x [T, D]: sum_i w[i] X[i] with
// w = sigmoid(fn z * rsqrt(mean(z^2) + eps) * scale + base) + hc_eps. One workgroup a token, all its threads on each row.
#pragma once

#include "row.h"
#include "step.h"

namespace ds4 {

template <typename Fn, typename Base, typename Scale, int Width, int Waves>
DS4_DEVICE void hcHead(float eps, float hcEps, const float *streams, const void *fn, const void *base, const void *scale, float *x,
                       Workgroup workgroup) {
  constexpr int kRun = kQuad<Width>, kStreams = 4, kWidth = kStreams * Width, kThreads = Waves * kWaveSize;
  DS4_SHARED float slots[kStreams + 1][Waves];
  const float *z = streams + workgroup.token * kWidth;
  float sums[kStreams + 1];
#pragma unroll
  for (int i = 0; i < kStreams; ++i)
    sums[i] = partialDot<kWidth, kThreads>(Fn(), static_cast<const Byte *>(fn) + i * kRowBytes<Fn, kWidth>, 0, z, threadIndex());
  sums[kStreams] = partialSquares<kWidth, kThreads>(z, threadIndex());
#pragma unroll
  for (int i = 0; i <= kStreams; ++i)
    sums[i] = sumWaves<Waves>(sumLanes(sums[i]), slots[i]);
  float factor = inverseSqrt(fma(sums[kStreams], 1.0f / kWidth, eps)) * Scale::at(scale, 0);
#pragma unroll
  for (int i = 0; i < kStreams; ++i)
    sums[i] = sigmoid(fma(sums[i], factor, Base::at(base, i))) + hcEps;
  forPart<Width / kRun, kThreads>(threadIndex(), [&](int run) {
    float sum[kRun] = {};
#pragma unroll
    for (int stream = 0; stream < kStreams; ++stream) {
      float values[kRun];
      load<4 * kRun>(values, z + stream * Width, run * sizeof(values));
#pragma unroll
      for (int i = 0; i < kRun; ++i)
        sum[i] = fma(sums[stream], values[i], sum[i]);
    }
    store<4 * kRun>(x + workgroup.token * Width, run * sizeof(sum), sum);
  });
}

} // namespace ds4
