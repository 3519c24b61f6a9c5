// linear: x [T, K], w [N, K] -> y [T, N]. Exact: workgroup (i, t), Waves * 32 / Lanes rows of token t, or Waves * Rows, in single
// precision.
// Fast: workgroup (i, c), Waves * Rows * Repeat tiles of tokens Columns * c .. Columns * c + Columns - 1 (product.h), x floats or
// halves.
#pragma once

#include "product.h"
#include "row.h"
#include "step.h"

namespace ds4 {

template <typename Format, int N, int K, int Lanes, int Waves>
DS4_DEVICE void linear(const float *x, const void *w, float *y, Workgroup workgroup) {
  multiplyRows<N, K, Lanes, Waves>(readerOf<Format>(w, N * kRowBytes<Format, K>), w, x + workgroup.token * K,
                                   y + workgroup.token * N, workgroup.x);
}

template <typename Format, int N, int K, int Rows, int Waves>
DS4_DEVICE void linearRows(const float *x, const void *w, float *y, Workgroup workgroup) {
  multiplySeveralRows<N, K, Rows, Waves>(readerOf<Format>(w, N * kRowBytes<Format, K>), w, x + workgroup.token * K,
                                         y + workgroup.token * N, workgroup.x);
}

template <typename Fragment, int Columns, int Rows, int Repeat, int Waves, int N, int K, typename X>
DS4_DEVICE void linearFast(const Step *step, const X *x, const void *w, float *y, Workgroup workgroup) {
  int first = workgroup.token * Columns;
  auto fragment = readerOf<Fragment>(w, N * kFragmentRowBytes<Fragment, K>);
  multiplyTiles<Columns, Rows, Repeat, Waves, N, K>(fragment, w, x + first * K, K, y + first * N, N, step->q - first, workgroup.x);
}

} // namespace ds4
