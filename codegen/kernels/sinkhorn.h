// sinkhorn: c [T, 24] -> pre [T, 4], post [T, 4], comb [T, 4, 4]. One wave a token: lane 4 j + k holds comb[j][k], lanes
// 16..19 pre, 20..23 post. Rows are lanes that differ in bits 1 and 2, columns in bits 4 and 8.
#pragma once

#include "step.h"
#include "wave.h"

namespace ds4 {

// A matrix in 16 lanes, one entry a lane, after so many further iterations.
DS4_DEVICE float furtherRounds(int iterations, float eps, float m) {
#pragma unroll 1
  for (int round = 0; round < iterations; ++round) {
    m *= reciprocal(sumLanes<4>(m) + eps);
    m *= reciprocal(sumLanes<16, 4>(m) + eps);
  }
  return m;
}

// The doubly stochastic matrix of the logits in 16 lanes, all in registers.
DS4_DEVICE float doublyStochastic(int iterations, float eps, float logit) {
  float m = exp(logit - maxLanes<4>(logit));
  m = m * reciprocal(sumLanes<4>(m)) + eps;
  m *= reciprocal(sumLanes<16, 4>(m) + eps);
  return furtherRounds(iterations - 1, eps, m);
}

DS4_DEVICE void sinkhorn(int iterations, float eps, const float *c, float *pre, float *post, float *comb) {
  int token = tokenIndex(), i = lane();
  if (i >= 24)
    return;
  float x = c[token * 24 + (i < 16 ? 8 + i : i - 16)];
  if (i >= 20) {
    post[token * 4 + i - 20] = 2.0f * sigmoid(x);
  } else if (i >= 16) {
    pre[token * 4 + i - 16] = sigmoid(x) + eps;
  } else {
    comb[token * 16 + i] = doublyStochastic(iterations, eps, x);
  }
}

} // namespace ds4
