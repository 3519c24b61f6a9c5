// The threshold of "the greatest elements whose weights reach a target", by radix over 32-bit keys: four passes of eight
// bits over a histogram in LDS. Weights are integers, so the order of the additions does not matter.
#pragma once

#include "wave.h"

namespace ds4 {

inline constexpr int kBins = 256;

template <typename T> struct Weighted {
  U32 key;
  T weight;
};

// Elements of greater key weigh `above` < target in all; with those of key `key` they reach it.
template <typename T> struct Cut {
  U32 key;
  T above;
};

// From the highest bin down, the one in which the running sum reaches target (1 or more, and no more than the sum of
// all). Every wave computes it, lane i over eight bins.
template <typename T> DS4_DEVICE Cut<T> findBin(const T *bins, T target) {
  constexpr int kOwn = kBins / kWaveSize;
  T own[kOwn], sum = 0, total;
#pragma unroll
  for (int i = 0; i < kOwn; ++i)
    sum += own[i] = bins[kBins - 1 - (lane() * kOwn + i)];
  T before = sumBelow(sum, total);
  U32 holder = ballot(before < target && target <= before + sum);
  int bin = 0;
  T above = before;
  bool found = false;
#pragma unroll
  for (int i = 0; i < kOwn; ++i) {
    found = found || above + own[i] >= target;
    bin += found ? 0 : 1;
    above += found ? T(0) : own[i];
  }
  int from = lowestBit(holder);
  return {static_cast<U32>(kBins - 1 - (from * kOwn + readLane(bin, from))), readLane(above, from)};
}

// elementAt(i) gives element i of `count`, in any order and four times. `bins` is LDS of kBins.
template <int Threads, typename T, typename ElementAt>
DS4_DEVICE Cut<T> radixCut(T *bins, T target, int count, ElementAt elementAt) {
  Cut<T> cut{0, 0};
#pragma unroll 1
  for (int shift = 24; shift >= 0; shift -= 8) {
    for (int i = threadIndex(); i < kBins; i += Threads)
      bins[i] = 0;
    barrier();
    for (int i = threadIndex(); i < count; i += Threads) {
      Weighted<T> element = elementAt(i);
      if ((element.key ^ cut.key) >> shift >> 8 == 0 && element.weight != 0)
        sharedAdd(bins + (element.key >> shift & (kBins - 1)), element.weight);
    }
    barrier();
    Cut<T> bin = findBin<T>(bins, target - cut.above);
    cut.above += bin.above;
    cut.key |= bin.key << shift;
    barrier();
  }
  return cut;
}

} // namespace ds4
