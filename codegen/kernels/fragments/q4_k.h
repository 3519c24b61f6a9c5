// Fragments of q4_k: one super-block of eight sub-blocks, 36 dwords. A dword of nibbles holds four weights of a sub-block and four
// of the next one.
#pragma once

#include "fragments/q4_0.h"
#include "fragments/super_scales.h"

namespace ds4 {

struct Q4_KFragment : FragmentDefaults {
  static constexpr int kBlocks = 8, kWords = 36, kGroups = 1, kCorrections = 1;
  static constexpr bool kHasMinima = true;
  static constexpr PairOrder kOrder = PairOrder::Far;

  DS4_DEVICE constexpr int groupOf(int, int) { return 0; }
  DS4_DEVICE constexpr float offset(int block) { return block % 2 ? 64 : 1024; }

  DS4_DEVICE void decode(U32 (&pairs)[4], const U32 (&words)[kWords], int block, int step) {
    int first = 4 + block / 2 * 8 + step;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      if (block % 2)
        highNibbles(pairs, 2 * half, words[first + half * 4]);
      else
        lowNibbles(pairs, 2 * half, words[first + half * 4]);
    }
  }

  DS4_DEVICE float scale(const U32 (&words)[kWords], int block, int) { return lowHalf(words[0]) * superScale(words, block); }
  DS4_DEVICE float minimum(const U32 (&words)[kWords], int block, int) { return highHalf(words[0]) * superMinimum(words, block); }
};

} // namespace ds4
