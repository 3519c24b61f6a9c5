// moe_gate_up: x [T, K], ids [T, U], weights [T, U], gate and up [E, N, K] -> h [T, U, N]: swiglu of the products of x with the
// gate and up rows of the expert in each slot. A slot of weight 0, or whose id is outside 0..E-1, gives zeros and reads
// nothing. Workgroup (i, t, u): Waves * WaveRows rows.
#pragma once

#include "gated_rows.h"
#include "step.h"

namespace ds4 {

template <typename Rows, int WaveRows, int Waves, int Experts, int Used, int N, int K>
DS4_DEVICE void moeGateUp(float limit, const float *x, const int *ids, const float *weights, const void *gate, const void *up,
                          float *h) {
  int index = tokenIndex() * Used + blockZ();
  int expert = uniform(ids[index]);
  if (expert < 0 || expert >= Experts || weights[index] == 0) {
    clearRows<Waves * WaveRows, N>(h + index * N, blockX() * Waves * WaveRows);
    return;
  }
  gatedRows<Rows, WaveRows, Waves>(blockX(), limit, x + tokenIndex() * K, matrixOf<Rows>(gate, Experts, expert),
                                   matrixOf<Rows>(up, Experts, expert), h + index * N);
}

} // namespace ds4
