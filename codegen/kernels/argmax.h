// argmax: logits [T, V] -> ids [T]: the lowest index of the greatest value; NaN never wins, all NaN gives -1. One
// workgroup a token.
#pragma once

#include "row.h"
#include "step.h"

namespace ds4 {

template <int Vocabulary, int Waves> DS4_DEVICE void argmax(const float *logits, int *ids, Workgroup workgroup) {
  constexpr int kRun = kQuad<Vocabulary>;
  DS4_SHARED U64 slots[Waves];
  const float *row = logits + workgroup.token * Vocabulary;
  U32 best = 0;
  int index = Vocabulary;
  forPart<Vocabulary / kRun, Waves * kWaveSize>(threadIndex(), [&](int run) {
    float values[kRun];
    load<4 * kRun>(values, row, run * sizeof(values));
#pragma unroll
    for (int i = 0; i < kRun; ++i) {
      U32 key = orderedKey(values[i]);
      index = key > best ? run * kRun + i : index;
      best = larger(best, key);
    }
  });
  // Greater value first, then lower index.
  U64 candidate = maxWaves<Waves>(maxLanes(static_cast<U64>(best) << 32 | static_cast<U32>(~index)), slots);
  if (threadIndex() == 0)
    ids[workgroup.token] = candidate >> 32 ? static_cast<int>(~static_cast<U32>(candidate)) : -1;
}

} // namespace ds4
