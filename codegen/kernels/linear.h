// linear: x [T, K], w [N, K] -> y [T, N]. Workgroup (i, t): Waves * 32 / Lanes rows of token t.
#pragma once

#include "row.h"
#include "step.h"

namespace ds4 {

template <typename Format, int N, int K, int Lanes, int Waves> DS4_DEVICE void linear(const float *x, const void *w, float *y) {
  int token = tokenIndex();
  multiplyRows<Format, N, K, Lanes, Waves>(w, x + token * K, y + token * N);
}

} // namespace ds4
