// Fragments of q5_k: q4_k with a fifth bit a weight (super_scales.h), 44 dwords.
#pragma once

#include "fragments/super_scales.h"

namespace ds4 {

struct Q5_KFragment : SixBitScales<44> {
  DS4_DEVICE void decode(U32 (&pairs)[4], const U32 (&words)[kWords], int block, int step) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      nibblesOf(pairs, half, words[12 + block / 2 * 8 + half * 4 + step], block);
      addUpperBits<1>(pairs, 2 * half, words[4 + half * 4 + step], block, block % 2 ? 8 : 4);
    }
  }
};

} // namespace ds4
