// concat: a [T, A], b [T, B] -> y [T, A + B]. A thread takes kQuad values, of a or of b.
#pragma once

#include "row.h"
#include "step.h"

namespace ds4 {

template <int A, int B, int Threads> DS4_DEVICE void concat(const float *a, const float *b, float *y) {
  constexpr int kRun = kQuad<A> < kQuad<B> ? kQuad<A> : kQuad<B>;
  int token = tokenIndex(), element = (blockX() * Threads + threadIndex()) * kRun;
  if (element >= A + B)
    return;
  const float *from = element < A ? a + token * A + element : b + token * B + element - A;
  float values[kRun];
  load<4 * kRun>(values, from, 0);
  store<4 * kRun>(y + token * (A + B), element * 4, values);
}

} // namespace ds4
