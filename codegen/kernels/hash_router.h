// hash_router: logits [T, E], tokens [T], table [V, U] -> ids [T, U], weights [T, U]. The ids are the table's row of the
// token, of the step block or of an operand, the weights as in router; an id outside 0..E-1 gets weight 0, so its expert gives
// zeros, and is counted in the step block. One wave a token.
#pragma once

#include "router.h"

namespace ds4 {

// `scoreOf` gives the score of an expert.
template <int Experts, int Used, typename ScoreOf>
DS4_DEVICE void takeExperts(const Step *step, const int *tokens, float scale, const int *table, int *ids, float *weights,
                            ScoreOf scoreOf) {
  static_assert(Used <= kWaveSize);
  int token = tokenIndex(), expert = 0;
  float score = 0;
  if (lane() < Used) {
    expert = table[static_cast<long long>(tokens[token]) * Used + lane()];
    if (expert >= 0 && expert < Experts)
      score = scoreOf(expert);
    else
      deviceAdd(const_cast<unsigned *>(&step->unknownExperts), 1);
  }
  float sum = sumLanes(score);
  if (lane() < Used) {
    ids[token * Used + lane()] = expert;
    weights[token * Used + lane()] = divide(score, sum) * scale;
  }
}

template <int Experts, int Used>
DS4_DEVICE void hashRouter(const Step *step, const int *tokens, float scale, const float *logits, const int *table, int *ids,
                           float *weights) {
  const float *own = logits + tokenIndex() * Experts;
  takeExperts<Experts, Used>(step, tokens, scale, table, ids, weights, [&](int expert) { return expertScore(own[expert]); });
}

// Of the step block's tokens.
template <int Experts, int Used>
DS4_DEVICE void hashRouter(const Step *step, float scale, const float *logits, const int *table, int *ids, float *weights) {
  hashRouter<Experts, Used>(step, step->token, scale, logits, table, ids, weights);
}

} // namespace ds4
