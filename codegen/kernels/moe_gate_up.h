// moe_gate_up: x [T, K], ids [T, U], weights [T, U], gate and up [E, N, K] -> h [T, U, N]: swiglu of the products of x with the
// gate and up rows of the expert in each slot. A slot of weight 0, or whose id is outside 0..E-1, gives zeros and reads
// nothing. Workgroup (i, t, u): Waves * WaveRows rows.
//
// moeGateUp takes each slot alone. moeGateUpShared, for steps of several tokens: a slot's workgroups make all slots of its expert,
// up to four at a time, when it is the first of them, and nothing otherwise.
#pragma once

#include "expert_columns.h"
#include "gated_rows.h"

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
  gatedRows<Rows, WaveRows, Waves, true>(blockX(), limit, x + tokenIndex() * K, matrixOf<Rows>(gate, Experts, expert),
                                         matrixOf<Rows>(up, Experts, expert), h + index * N);
}

template <typename Rows, int WaveTiles, int Waves, int Experts, int Used, int N, int K>
DS4_DEVICE void moeGateUpShared(const Step *step, float limit, const float *x, const int *ids, const float *weights,
                                const void *gate, const void *up, float *h) {
  constexpr int kBlockRows = Waves * WaveTiles / Rows::kTiles * Rows::kGroupRows;
  int index = tokenIndex() * Used + blockZ();
  const ExpertSlots<Experts, Used> slots(ids, weights, step->q * Used);
  int expert = slots.expertOf(index);
  if (expert < 0) {
    clearRows<kBlockRows, N>(h + index * N, blockX() * kBlockRows);
    return;
  }
  auto left = slots.slotsOf(expert), rest = left;
  if (rest.takeFirst() != index)
    return;
  const auto gateRows = matrixOf<Rows>(gate, Experts, expert), upRows = matrixOf<Rows>(up, Experts, expert);
  while (left.any()) {
    const ColumnSlots taken = takeColumns<Rows::kMost>(left);
    ColumnSlots tokens{0, taken.count};
#pragma unroll
    for (int column = 0; column < Rows::kMost; ++column)
      tokens.slots |= static_cast<U32>(taken.of(column) / Used) << column * 8;
    gatedColumns<Rows, WaveTiles, Waves>(blockX(), limit, x, tokens, gateRows, upRows,
                                         [&](int column, int row, float value) { h[taken.of(column) * N + row] = value; });
    barrier(); // the inputs of the next ones take the same place
  }
}

} // namespace ds4
