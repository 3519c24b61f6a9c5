// select_top_k: scores [T, R], rows `capacity` apart -> ids [T, K], ascending, padded with -1. One workgroup a token.
//
// All visible rows when there are at most K. Else the K of greatest score, the lower id first among equals: a radix
// search finds the K-th score, then each wave counts and stores the chosen of its own span of rows, in order. NaN
// counts as minus infinity.
#pragma once

#include "radix.h"
#include "step.h"

namespace ds4 {

template <int K, int Ratio, int Capacity, int Waves> DS4_DEVICE void selectTopK(const Step *step, const float *scores, int *ids) {
  constexpr int kThreads = Waves * kWaveSize;
  DS4_SHARED U32 bins[kBins];
  DS4_SHARED int greaterOf[Waves], equalOf[Waves];
  int token = tokenIndex(), visible = (step->pos + token + 1) / Ratio;
  const float *row = scores + static_cast<long long>(token) * Capacity;
  int *out = ids + token * K;
  if (visible <= K) {
    for (int i = threadIndex(); i < K; i += kThreads)
      out[i] = i < visible ? i : -1;
    return;
  }
  auto keyOf = [&](int i) { return larger(orderedKey(row[i]), kMinusInfinityKey); };
  Cut<U32> cut = radixCut<kThreads, U32>(bins, K, visible, [&](int i) { return Weighted<U32>{keyOf(i), 1}; });
  int ties = K - static_cast<int>(cut.above); // of the rows of the K-th score, the first so many

  int span = (visible + kThreads - 1) / kThreads * kWaveSize;
  int begin = wave() * span, end = smaller(begin + span, visible);
  int greater = 0, equal = 0;
  for (int base = begin; base < end; base += kWaveSize) {
    int i = base + lane();
    U32 key = i < end ? keyOf(i) : 0;
    greater += countBits(ballot(key > cut.key));
    equal += countBits(ballot(key == cut.key));
  }
  if (lane() == 0) {
    greaterOf[wave()] = greater;
    equalOf[wave()] = equal;
  }
  barrier();
  bool earlier = lane() < wave();
  greater = sumLanes(earlier ? greaterOf[lane() % Waves] : 0);
  equal = sumLanes(earlier ? equalOf[lane() % Waves] : 0);
  for (int base = begin; base < end; base += kWaveSize) {
    int i = base + lane();
    U32 key = i < end ? keyOf(i) : 0;
    U32 greaterHere = ballot(key > cut.key), equalHere = ballot(key == cut.key);
    int rank = equal + countBelow(equalHere);
    if (key > cut.key || (key == cut.key && rank < ties))
      out[greater + countBelow(greaterHere) + smaller(rank, ties)] = i;
    greater += countBits(greaterHere);
    equal += countBits(equalHere);
  }
}

} // namespace ds4
