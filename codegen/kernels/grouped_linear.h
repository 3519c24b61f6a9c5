// grouped_linear: x [T, G*K], w [G*N, K] -> y [T, G*N]. Workgroup (i, t, g): rows of group g for token t; the fast one
// (product.h): for tokens Columns * t .. Columns * t + Columns - 1.
#pragma once

#include "product.h"
#include "row.h"
#include "step.h"

namespace ds4 {

template <typename Format, int Groups, int N, int K, int Lanes, int Waves>
DS4_DEVICE void groupedLinear(const float *x, const void *w, float *y) {
  int index = tokenIndex() * Groups + blockZ();
  const Byte *rows = static_cast<const Byte *>(w) + blockZ() * (N * kRowBytes<Format, K>);
  multiplyRows<N, K, Lanes, Waves>(readerOf<Format>(w, Groups * N * kRowBytes<Format, K>), rows, x + index * K, y + index * N);
}

template <typename Fragment, int Columns, int Rows, int Repeat, int Waves, int Groups, int N, int K>
DS4_DEVICE void groupedLinearFast(const Step *step, const float *x, const void *w, float *y) {
  int first = blockY() * Columns;
  auto fragment = readerOf<Fragment>(w, Groups * N * kFragmentRowBytes<Fragment, K>);
  const Byte *rows = static_cast<const Byte *>(w) + blockZ() * (N * kFragmentRowBytes<Fragment, K>);
  multiplyTiles<Columns, Rows, Repeat, Waves, N, K>(fragment, rows, x + (first * Groups + blockZ()) * K, Groups * K,
                                                    y + (first * Groups + blockZ()) * N, Groups * N, step->q - first);
}

} // namespace ds4
