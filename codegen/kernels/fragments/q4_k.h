// Fragments of q4_k (super_scales.h): 36 dwords.
#pragma once

#include "fragments/super_scales.h"

namespace ds4 {

struct Q4_KFragment : SixBitScales<36> {
  DS4_DEVICE void decode(U32 (&pairs)[4], const U32 (&words)[kWords], int block, int step) {
    int first = 4 + block / 2 * 8 + step;
#pragma unroll
    for (int half = 0; half < 2; ++half)
      nibblesOf(pairs, half, words[first + half * 4], block);
  }
};

} // namespace ds4
