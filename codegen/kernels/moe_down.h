// moe_down: h [T, U, K], ids [T, U], weights [T, U], down [E, N, K], hs [T, Ks], shared [N, Ks] -> y [T, N]:
// weights[0] * down[ids[0]] h[0] + weights[1] * down[ids[1]] h[1] + ... + shared hs, added up in this order, a row in one
// register. Slots of weight 0, and those whose id is outside 0..E-1, are left out. Workgroup (i, t): Waves * WaveRows rows.
#pragma once

#include "row_products.h"
#include "step.h"

namespace ds4 {

template <typename Routed, typename Shared, int WaveRows, int Waves> struct DownLds {
  alignas(16) Byte routedInputs[Routed::kInputBytes];
  alignas(16) Byte sharedInputs[Shared::kInputBytes];
  alignas(16) Byte staging[Waves][larger(Routed::kStagingBytes, Shared::kStagingBytes)];
  float products[Waves][WaveRows]; // of the shared expert, whose rows may be in other lanes
};

template <typename Routed, typename Shared, int WaveRows, int Waves, int Experts, int Used, int N, int K, int SharedK>
DS4_DEVICE void moeDown(const float *h, const int *ids, const float *weights, const void *down, const float *hs, const void *shared,
                        float *y) {
  static_assert(WaveRows % Routed::kGroupRows == 0 && WaveRows % Shared::kGroupRows == 0);
  auto &lds = workgroupLds<DownLds<Routed, Shared, WaveRows, Waves>>();
  int token = tokenIndex();
  Routed routed(lds.routedInputs, lds.staging[wave()]);
  Shared common(lds.sharedInputs, lds.staging[wave()]);
  routed.begin(h + token * Used * K);
  common.begin(hs + token * SharedK);
  if constexpr (Routed::kConverts || Shared::kConverts)
    barrier();
  routed.convert();
  common.convert();
  if constexpr (Routed::kConverts || Shared::kConverts)
    barrier();

  int begin = (blockX() * Waves + wave()) * WaveRows;
#pragma unroll 1
  for (int first = begin; first < begin + WaveRows; first += Shared::kGroupRows) {
    float product = common.multiply(matrixOf<Shared>(shared), first, 0);
    if (int row = Shared::rowOf(first); row >= 0)
      lds.products[wave()][row - begin] = product;
  }
  waveBarrier();
#pragma unroll 1
  for (int first = begin; first < begin + WaveRows; first += Routed::kGroupRows) {
    float sum = 0;
#pragma unroll 1
    for (int slot = 0; slot < Used; ++slot) {
      int expert = uniform(ids[token * Used + slot]);
      float weight = weights[token * Used + slot];
      if (expert >= 0 && expert < Experts && weight != 0)
        sum = fma(weight, routed.multiply(matrixOf<Routed>(down, Experts, expert), first, slot), sum);
    }
    if (int row = Routed::rowOf(first); row >= 0)
      y[token * N + row] = sum + lds.products[wave()][row - begin];
  }
}

} // namespace ds4
