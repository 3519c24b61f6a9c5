// Fragments of q5_k: q4_k (q4_k.h) with a fifth bit a weight: one super-block, 44 dwords.
#pragma once

#include "fragments/q4_0.h"
#include "fragments/super_scales.h"

namespace ds4 {

struct Q5_KFragment : FragmentDefaults {
  static constexpr int kBlocks = 8, kWords = 44, kGroups = 1, kCorrections = 1;
  static constexpr bool kHasMinima = true;
  static constexpr PairOrder kOrder = PairOrder::Far;

  DS4_DEVICE constexpr int groupOf(int, int) { return 0; }
  DS4_DEVICE constexpr float offset(int block) { return block % 2 ? 64 : 1024; }

  DS4_DEVICE void decode(U32 (&pairs)[4], const U32 (&words)[kWords], int block, int step) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      U32 nibbles = words[12 + block / 2 * 8 + half * 4 + step], fifth = words[4 + half * 4 + step];
      if (block % 2)
        highNibbles(pairs, 2 * half, nibbles);
      else
        lowNibbles(pairs, 2 * half, nibbles);
      addUpperBits<1>(pairs, 2 * half, fifth, block, block % 2 ? 8 : 4);
    }
  }

  DS4_DEVICE float scale(const U32 (&words)[kWords], int block, int) { return lowHalf(words[0]) * superScale(words, block); }
  DS4_DEVICE float minimum(const U32 (&words)[kWords], int block, int) { return highHalf(words[0]) * superMinimum(words, block); }
};

} // namespace ds4
