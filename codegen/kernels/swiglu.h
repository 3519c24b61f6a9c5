// swiglu: gate, up [T, n] -> y = silu(min(gate, limit)) * clamp(up, -limit, limit). A thread takes kQuad<n> elements.
#pragma once

#include "row.h"
#include "step.h"

namespace ds4 {

// Compared so that NaN stays NaN.
DS4_DEVICE float gatedUnit(float limit, float gate, float up) {
  float gated = gate > limit ? limit : gate;
  float clamped = up > limit ? limit : up < -limit ? -limit : up;
  return gated * sigmoid(gated) * clamped;
}

template <int Width, int Threads> DS4_DEVICE void swiglu(float limit, const float *gate, const float *up, float *y) {
  constexpr int kRun = kQuad<Width>;
  int first = tokenIndex() * Width, element = (blockX() * Threads + threadIndex()) * kRun;
  if (element >= Width)
    return;
  float g[kRun], u[kRun];
  load<4 * kRun>(g, gate + first, element * 4);
  load<4 * kRun>(u, up + first, element * 4);
#pragma unroll
  for (int i = 0; i < kRun; ++i)
    g[i] = gatedUnit(limit, g[i], u[i]);
  store<4 * kRun>(y + first, element * 4, g);
}

} // namespace ds4
