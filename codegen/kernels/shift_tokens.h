// shift_tokens: tokens of the step, next [T] -> ids [T]: token 0, next[0], ..., next[T - 2]; 0 where `next` is negative, so that
// the ids are rows of a table. One thread a token: each reads its neighbour's.
#pragma once

#include "step.h"
#include "wave.h"

namespace ds4 {

DS4_DEVICE void shiftTokens(const Step *step, const int *next, int *ids) {
  int token = tokenIndex();
  if (threadIndex() == 0)
    ids[token] = token == 0 ? step->token[0] : larger(next[token - 1], 0);
}

} // namespace ds4
