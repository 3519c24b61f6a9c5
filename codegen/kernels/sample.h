// sample: logits [T, V] -> ids [T]: a token of softmax(logits / temperature), cut to the smallest set of most probable
// tokens whose mass reaches topP, by the step's uniform number. One workgroup a token.
//
// Masses are integers, 2^31 for the most probable token, so every sum is exact and its order does not matter: the same
// logits give the same token in every launch. A token less probable than the best by 2^31 has none. Among equal logits
// the lower id is kept first; the set is walked in ascending order of ids. NaN has no mass; no mass at all gives -1,
// and so does a temperature of 0: the greedy token is argmax's.
#pragma once

#include "radix.h"
#include "step.h"

namespace ds4 {

// floor(x * fraction / 2^32) and the same rounded up; x < 2^63, fraction <= 2^32.
DS4_DEVICE U64 scaleDown(U64 x, U64 fraction) { return (x >> 32) * fraction + ((x & 0xffffffffu) * fraction >> 32); }
DS4_DEVICE U64 scaleUp(U64 x, U64 fraction) { return (x >> 32) * fraction + (((x & 0xffffffffu) * fraction + 0xffffffffu) >> 32); }

struct TokenMass {
  float greatest, inverseTemperature;
  // Of a key of orderedKey; 0 is NaN's.
  DS4_DEVICE_METHOD U32 of(U32 key) const {
    float logit = floatOfKey(key);
    float p = logit == greatest ? 1.0f : exp((logit - greatest) * inverseTemperature);
    return key == 0 ? 0 : static_cast<U32>(p * 0x1p31f);
  }
};

template <int Vocabulary, int Waves> DS4_DEVICE void sample(const Step *step, const float *logits, int *ids, Workgroup workgroup) {
  constexpr int kThreads = Waves * kWaveSize;
  DS4_SHARED U64 bins[kBins], massOf[Waves], totals[Waves];
  DS4_SHARED U32 equalOf[Waves], keys[Waves];
  int token = workgroup.token;
  const float *row = logits + static_cast<long long>(token) * Vocabulary;

  if (step->temperature <= 0) {
    if (threadIndex() == 0)
      ids[token] = -1;
    return;
  }
  U32 greatest = 0;
  for (int i = threadIndex(); i < Vocabulary; i += kThreads)
    greatest = larger(greatest, orderedKey(row[i]));
  greatest = maxWaves<Waves>(maxLanes(greatest), keys);
  if (greatest <= kMinusInfinityKey) {
    if (threadIndex() == 0)
      ids[token] = -1;
    return;
  }
  TokenMass mass{floatOfKey(greatest), divide(1.0f, step->temperature)};
  U64 total = 0;
  for (int i = threadIndex(); i < Vocabulary; i += kThreads)
    total += mass.of(orderedKey(row[i]));
  total = sumWaves<Waves>(sumLanes(total), totals);

  U64 topP = static_cast<U64>(static_cast<U32>(step->topP * 0x1p31f)) << 1;
  U64 target = larger(scaleUp(total, topP), U64(1));
  Cut<U64> cut = radixCut<kThreads, U64>(bins, target, Vocabulary, [&](int i) {
    U32 key = orderedKey(row[i]);
    return Weighted<U64>{key, mass.of(key)};
  });
  U64 tied = mass.of(cut.key), missing = target - cut.above;
  int ties = static_cast<int>((missing + tied - 1) / tied); // of the tokens of the least kept logit, the first so many

  // Mass and ties in each wave's span of ids, then the wave and the token where the uniform number falls.
  constexpr int kSpan = (Vocabulary + kThreads - 1) / kThreads * kWaveSize;
  int begin = wave() * kSpan, end = smaller(begin + kSpan, Vocabulary);
  U64 own = 0;
  int equal = 0;
  for (int base = begin; base < end; base += kWaveSize) {
    int i = base + lane();
    U32 key = i < end ? orderedKey(row[i]) : 0;
    own += key > cut.key ? mass.of(key) : 0;
    equal += countBits(ballot(key == cut.key));
  }
  own = sumLanes(own);
  if (lane() == 0) {
    massOf[wave()] = own;
    equalOf[wave()] = equal;
  }
  barrier();
  // Lane w looks at wave w.
  int equalTotal, equalHere = lane() < Waves ? equalOf[lane() % Waves] : 0;
  int equalBefore = sumBelow(equalHere, equalTotal);
  int keptHere = larger(0, smaller(ties - equalBefore, equalHere));
  U64 kept, massHere = lane() < Waves ? massOf[lane() % Waves] + keptHere * tied : 0;
  U64 massBefore = sumBelow(massHere, kept);
  U64 point = scaleDown(kept, static_cast<U64>(step->random[token] * 0x1p32f));
  int holder = lowestBit(ballot(massBefore <= point && point < massBefore + massHere));
  if (wave() != holder)
    return;
  point -= readLane(massBefore, holder);
  equal = readLane(equalBefore, holder);
  for (int base = begin; base < end; base += kWaveSize) {
    int i = base + lane();
    U32 key = i < end ? orderedKey(row[i]) : 0;
    U32 equalMask = ballot(key == cut.key);
    bool taken = key > cut.key || (key == cut.key && equal + countBelow(equalMask) < ties);
    U64 sum, weight = taken ? mass.of(key) : 0;
    U64 before = sumBelow(weight, sum);
    if (before <= point && point < before + weight)
      ids[token] = i;
    if (point < sum)
      return;
    point -= sum;
    equal += countBits(equalMask);
  }
}

} // namespace ds4
