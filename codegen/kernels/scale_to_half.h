// scale_to_half: x [T, ..., K] -> halves [T, ..., K], scales [T, ...]: each row times the power of two that brings its largest
// magnitude just below 2^15, rounded to halves, and the inverse power. Workgroup (r, t): row r of token t.
#pragma once

#include "row.h"
#include "step.h"

namespace ds4 {

template <int Rows, int Width, int Waves> DS4_DEVICE void scaleToHalf(const float *x, U16 *halves, float *scales) {
  constexpr int kThreads = Waves * kWaveSize, kRuns = Width / 4, kOwn = (kRuns + kThreads - 1) / kThreads;
  DS4_SHARED float slots[Waves];
  const int row = tokenIndex() * Rows + blockX();
  const float *from = x + static_cast<U64>(static_cast<U32>(row)) * Width;
  U16 *to = halves + static_cast<U64>(static_cast<U32>(row)) * Width;
  float values[kOwn][4] = {}, largest = 0;
#pragma unroll
  for (int i = 0; i < kOwn; ++i)
    if (const U32 run = i * kThreads + threadIndex(); kRuns % kThreads == 0 || run < kRuns)
      load<16>(values[i], from, run * 16);
#pragma unroll
  for (int i = 0; i < kOwn; ++i)
    largest =
        maxMagnitude(maxMagnitude(largest, values[i][0]), maxMagnitude(values[i][1], maxMagnitude(values[i][2], values[i][3])));
  largest = reduceLanes<kWaveSize>(largest, [](float a, float b) { return maxMagnitude(a, b); });
  largest = reduceWaves<Waves>(largest, slots, [](float a, float b) { return maxMagnitude(a, b); });
  const HalfScale power(largest);
  const float scale = power.factor();
#pragma unroll
  for (int i = 0; i < kOwn; ++i)
    if (const U32 run = i * kThreads + threadIndex(); kRuns % kThreads == 0 || run < kRuns) {
      const U32 pairs[2] = {packHalves(values[i][0] * scale, values[i][1] * scale),
                            packHalves(values[i][2] * scale, values[i][3] * scale)};
      store<8>(to, run * 8, pairs);
    }
  if (threadIndex() == 0)
    scales[row] = power.inverse();
}

} // namespace ds4
