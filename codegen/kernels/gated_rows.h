// The hidden activations of an expert: gate and up products of one input, joined before they leave their registers.
#pragma once

#include "row_products.h"
#include "swiglu.h"

namespace ds4 {

template <typename Rows, int Waves> struct GatedLds {
  alignas(16) Byte inputs[Rows::kInputBytes];
  alignas(16) Byte staging[Waves][Rows::kStagingBytes];
};

// Rows of workgroup `block`, WaveRows a wave: silu(min(gate, limit)) * clamp(up, -limit, limit), with x the input of both.
template <typename Rows, int WaveRows, int Waves>
DS4_DEVICE void gatedRows(int block, float limit, const float *x, const Matrix<Rows> &gate, const Matrix<Rows> &up, float *h) {
  static_assert(WaveRows % Rows::kGroupRows == 0);
  auto &lds = workgroupLds<GatedLds<Rows, Waves>>();
  Rows rows(lds.inputs, lds.staging[wave()]);
  rows.begin(x);
  if constexpr (Rows::kConverts)
    barrier();
  rows.convert();
  if constexpr (Rows::kConverts)
    barrier();
  int begin = (block * Waves + wave()) * WaveRows;
#pragma unroll 1
  for (int first = begin; first < begin + WaveRows; first += Rows::kGroupRows) {
    float gated = rows.multiply(gate, first, 0), upper = rows.multiply(up, first, 0);
    if (int row = Rows::rowOf(first); row >= 0)
      h[row] = gatedUnit(limit, gated, upper);
  }
}

} // namespace ds4
