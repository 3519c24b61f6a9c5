// expert_linear: x [T, K] or [T, U, K], ids [T, U], w [E, N, K] -> y [T, U, N]. Workgroup (i, t, u): rows of the expert
// in slot u of token t. An id outside 0..E-1 gives zeros.
#pragma once

#include "row_products.h"
#include "step.h"

namespace ds4 {

template <typename Format, int Experts, int Used, int N, int K, int Lanes, int Waves, bool PerSlot>
DS4_DEVICE void expertLinear(const float *x, const int *ids, const void *w, float *y) {
  int token = tokenIndex(), index = token * Used + blockZ();
  int expert = uniform(ids[index]);
  const float *input = x + (PerSlot ? index : token) * K;
  if (expert >= 0 && expert < Experts) {
    const Byte *matrix = static_cast<const Byte *>(w) + expert * (N * kRowBytes<Format, K>);
    auto format = readerOf<Format>(w, Experts * (N * kRowBytes<Format, K>), expert);
    multiplyRows<N, K, Lanes, Waves>(format, matrix, input, y + index * N);
    return;
  }
  constexpr int kRows = Waves * kWaveSize / Lanes;
  clearRows<kRows, N>(y + index * N, blockX() * kRows);
}

// The same in half precision (product.h), one column a workgroup: tokens rarely share an expert.
template <typename Fragment, int Rows, int Repeat, int Waves, int Experts, int Used, int N, int K, bool PerSlot>
DS4_DEVICE void expertLinearFast(const float *x, const int *ids, const void *w, float *y) {
  constexpr int kFragments = K / 32 / Fragment::kBlocks; // of a row
  int token = tokenIndex(), index = token * Used + blockZ();
  int expert = uniform(ids[index]);
  if (expert >= 0 && expert < Experts) {
    constexpr U64 kBytes = N * kFragmentRowBytes<Fragment, K>;
    const Byte *matrix = static_cast<const Byte *>(w) + expert * kBytes;
    multiplyTiles<1, Rows, Repeat, Waves, N, K>(readerOf<Fragment>(w, Experts * kBytes, expert), matrix,
                                                x + (PerSlot ? index : token) * K, K, y + index * N, N, 1);
    return;
  }
  constexpr int kTileRows = kFragments < kWaveSize ? kWaveSize / kFragments : 1;
  constexpr int kRows = Waves * Rows * Repeat * kTileRows;
  clearRows<kRows, N>(y + index * N, blockX() * kRows);
}

} // namespace ds4
