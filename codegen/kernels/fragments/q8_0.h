// Fragments of q8_0: two blocks, 17 dwords. A byte b enters as the half 1152 + b; the sum of 1152 x is taken off beforehand.
#pragma once

#include "product.h"

namespace ds4 {

// Four bytes b + 128 as pairs of halves 1152 + b: bytes 0 and 2, 1 and 3.
DS4_DEVICE void biasedBytes(U32 (&pairs)[4], int first, U32 bytes) {
  pairs[first] = (bytes & 0x00ff00ff) | 0x64006400;
  pairs[first + 1] = permuteBytes(bytes, 0x64646464, 0x00070005);
}
DS4_DEVICE void signedBytes(U32 (&pairs)[4], int first, U32 bytes) { biasedBytes(pairs, first, bytes ^ 0x80808080); }

struct Q8_0Fragment : FragmentDefaults {
  static constexpr int kBlocks = 2, kWords = 17, kGroups = 1, kCorrections = 1;
  static constexpr PairOrder kOrder = PairOrder::Far;
  static constexpr U32 kOffsetPair = 0x64806480, kFarOffsetPair = kOffsetPair; // 1152, 1152
  static constexpr bool kIntegers = true;

  DS4_DEVICE constexpr int groupOf(int, int) { return 0; }

  DS4_DEVICE void decode(U32 (&pairs)[4], const U32 (&words)[kWords], int block, int step) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      int word = half * 4 + step;
      signedBytes(pairs, 2 * half, block ? words[9 + word] : alignBytes(words[word + 1], words[word], 2));
    }
  }

  DS4_DEVICE void integers(U32 (&bytes)[1][4], const U32 (&words)[kWords], int block, int half) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int word = half * 4 + i;
      bytes[0][i] = block ? words[9 + word] : alignBytes(words[word + 1], words[word], 2);
    }
  }
  DS4_DEVICE float factor(const U32 (&words)[kWords], int block, int) { return scale(words, block, 0); }
  DS4_DEVICE void sharedIntegers(U32 (&up)[2], U32 (&)[2], const Byte *row, int block, U32 t) {
    up[0] = unalignedWord(row, block * 34 + 2, t * 4);
    up[1] = unalignedWord(row, block * 34 + 18, t * 4);
  }
  DS4_DEVICE float sharedFactor(const Byte *row, int block) {
    U16 half[1];
    load<2>(half, row, block * 34);
    return halfToFloat(half[0]);
  }

  DS4_DEVICE float scale(const U32 (&words)[kWords], int block, int) { return pairHalf(block ? words[8] : words[0], block); }
};

} // namespace ds4
