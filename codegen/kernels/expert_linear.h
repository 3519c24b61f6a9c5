// expert_linear: x [T, K] or [T, U, K], ids [T, U], w [E, N, K] -> y [T, U, N]. Workgroup (i, t, u): rows of the expert
// in slot u of token t. An id outside 0..E-1 gives zeros.
#pragma once

#include "row.h"
#include "step.h"

namespace ds4 {

template <typename Format, int Experts, int Used, int N, int K, int Lanes, int Waves, bool PerSlot>
DS4_DEVICE void expertLinear(const float *x, const int *ids, const void *w, float *y) {
  int token = tokenIndex(), index = token * Used + blockZ();
  int expert = uniform(ids[index]);
  const float *input = x + (PerSlot ? index : token) * K;
  if (expert >= 0 && expert < Experts) {
    const Byte *matrix = static_cast<const Byte *>(w) + expert * (N * kRowBytes<Format, K>);
    multiplyRows<Format, N, K, Lanes, Waves>(matrix, input, y + index * N);
    return;
  }
  constexpr int kRows = Waves * kWaveSize / Lanes; // rows of the workgroup, at most one a thread
  int row = blockX() * kRows + threadIndex();
  if (threadIndex() < kRows && row < N)
    y[index * N + row] = 0;
}

} // namespace ds4
