// add: a, b [T, n] -> y [T, n]. A thread takes kQuad<n> elements.
#pragma once

#include "row.h"
#include "step.h"

namespace ds4 {

template <int Width, int Threads> DS4_DEVICE void add(const float *a, const float *b, float *y) {
  constexpr int kRun = kQuad<Width>;
  int first = tokenIndex() * Width, element = (blockX() * Threads + threadIndex()) * kRun;
  if (element >= Width)
    return;
  float left[kRun], right[kRun];
  load<4 * kRun>(left, a + first, element * 4);
  load<4 * kRun>(right, b + first, element * 4);
#pragma unroll
  for (int i = 0; i < kRun; ++i)
    left[i] += right[i];
  store<4 * kRun>(y + first, element * 4, left);
}

} // namespace ds4
