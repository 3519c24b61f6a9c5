// Fragments of q8_0: two blocks, 17 dwords. A byte b enters as the half 1152 + b; the sum of 1152 x is taken off beforehand.
#pragma once

#include "product.h"

namespace ds4 {

struct Q8_0Fragment {
  static constexpr int kBlocks = 2, kWords = 17, kGroups = 1, kCorrections = 1;
  static constexpr PairOrder kOrder = PairOrder::Far;
  static constexpr U32 kOffsetPair = 0x64806480; // 1152, 1152

  DS4_DEVICE constexpr int groupOf(int, int) { return 0; }
  DS4_DEVICE constexpr float unit() { return 1; }

  DS4_DEVICE void decode(U32 (&pairs)[4], const U32 (&words)[kWords], int block, int step) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      int word = half * 4 + step;
      U32 bytes = (block ? words[9 + word] : alignBytes(words[word + 1], words[word], 2)) ^ 0x80808080;
      pairs[2 * half] = (bytes & 0x00ff00ff) | 0x64006400;
      pairs[2 * half + 1] = permuteBytes(bytes, 0x64646464, 0x00070005);
    }
  }

  DS4_DEVICE float scale(const U32 (&words)[kWords], int block, int) { return pairHalf(block ? words[8] : words[0], block); }
};

} // namespace ds4
