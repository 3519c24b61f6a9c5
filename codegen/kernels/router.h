// router: logits [T, E], bias [E] -> ids [T, K], weights [T, K]. One wave a token.
//
// p = sqrt(softplus(logit)); the K experts of greatest p + bias, the lower index first among equals, in descending
// order; weights = p / sum of the chosen p * scale. NaN counts as minus infinity when choosing.
#pragma once

#include "step.h"
#include "wave.h"

namespace ds4 {

DS4_DEVICE float expertScore(float logit) { return squareRoot(softplus(logit)); }

// What experts are chosen by; 0 is no expert's.
DS4_DEVICE U32 choiceKey(float score, float bias) { return larger(orderedKey(score + bias), kMinusInfinityKey); }

// The experts and weights of a token. `find` gives score and key of an expert.
template <int Experts, int K, typename Find> DS4_DEVICE void chooseExperts(float scale, int *ids, float *weights, Find find) {
  static_assert(K <= kWaveSize && K <= Experts);
  constexpr int kOwn = (Experts + kWaveSize - 1) / kWaveSize; // lane l has experts l, l + 32 ...
  float score[kOwn];
  U32 key[kOwn]; // 0: chosen, or no expert
#pragma unroll
  for (int i = 0; i < kOwn; ++i) {
    int expert = i * kWaveSize + lane();
    key[i] = 0;
    score[i] = 0;
    if (expert < Experts)
      find(expert, score[i], key[i]);
  }
  int chosen = 0;
  float weight = 0, sum = 0;
#pragma unroll 1
  for (int round = 0; round < K; ++round) {
    U32 best = key[0];
    int expert = lane();
    float own = score[0];
#pragma unroll
    for (int i = 1; i < kOwn; ++i)
      if (key[i] > best) {
        best = key[i];
        expert = i * kWaveSize + lane();
        own = score[i];
      }
    U32 greatest = maxLanes(best);
    int winner = uniform(minLanes(best == greatest ? expert : Experts));
    float winning = readLane(own, winner % kWaveSize);
    sum += winning;
    if (lane() == round) {
      chosen = winner;
      weight = winning;
    }
#pragma unroll
    for (int i = 0; i < kOwn; ++i)
      key[i] = winner == i * kWaveSize + lane() ? 0 : key[i];
  }
  if (lane() < K) {
    ids[lane()] = chosen;
    weights[lane()] = divide(weight, sum) * scale;
  }
}

template <typename Bias, int Experts, int K>
DS4_DEVICE void router(float scale, const float *logits, const void *bias, int *ids, float *weights) {
  const int token = tokenIndex();
  chooseExperts<Experts, K>(scale, ids + token * K, weights + token * K, [&](int expert, float &score, U32 &key) {
    score = expertScore(logits[token * Experts + expert]);
    key = choiceKey(score, Bias::at(bias, expert));
  });
}

} // namespace ds4
