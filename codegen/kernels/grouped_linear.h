// grouped_linear: x [T, G*K], w [G*N, K] -> y [T, G*N]. Workgroup (i, t, g): rows of group g for token t.
#pragma once

#include "row.h"
#include "step.h"

namespace ds4 {

template <typename Format, int Groups, int N, int K, int Lanes, int Waves>
DS4_DEVICE void groupedLinear(const float *x, const void *w, float *y) {
  int index = tokenIndex() * Groups + blockZ();
  const Byte *rows = static_cast<const Byte *>(w) + blockZ() * (N * kRowBytes<Format, K>);
  multiplyRows<Format, N, K, Lanes, Waves>(rows, x + index * K, y + index * N);
}

} // namespace ds4
