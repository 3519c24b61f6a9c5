// What fragments of q4_k and q5_k share: one super-block of eight sub-blocks whose dwords of nibbles (q4_0.h) hold four weights of a
// sub-block and four of the next one, with six-bit scales and minima in dwords 1..3 (formats/super_block.h).
#pragma once

#include "fragments/q4_0.h"

namespace ds4 {

template <int Count> DS4_DEVICE float superScale(const U32 (&words)[Count], int block) {
  int shift = block % 4 * 8;
  U32 scale = block < 4 ? words[1] >> shift & 63 : (words[3] >> shift & 15) | (words[1] >> (shift + 6) & 3) << 4;
  return static_cast<float>(scale);
}
template <int Count> DS4_DEVICE float superMinimum(const U32 (&words)[Count], int block) {
  int shift = block % 4 * 8;
  U32 minimum = block < 4 ? words[2] >> shift & 63 : (words[3] >> (shift + 4) & 15) | (words[2] >> (shift + 6) & 3) << 4;
  return static_cast<float>(minimum);
}

template <int Words> struct SixBitScales : FragmentDefaults {
  static constexpr int kBlocks = 8, kWords = Words, kGroups = 1, kCorrections = 1;
  static constexpr bool kHasMinima = true;
  static constexpr PairOrder kOrder = PairOrder::Far;

  DS4_DEVICE constexpr int groupOf(int, int) { return 0; }
  DS4_DEVICE constexpr float offset(int block) { return block % 2 ? 64 : 1024; }

  // Pairs 2 * half and 2 * half + 1 of a sub-block's nibbles.
  DS4_DEVICE void nibblesOf(U32 (&pairs)[4], int half, U32 nibbles, int block) {
    if (block % 2)
      highNibbles(pairs, 2 * half, nibbles);
    else
      lowNibbles(pairs, 2 * half, nibbles);
  }

  DS4_DEVICE float scale(const U32 (&words)[kWords], int block, int) { return lowHalf(words[0]) * superScale(words, block); }
  DS4_DEVICE float minimum(const U32 (&words)[kWords], int block, int) { return highHalf(words[0]) * superMinimum(words, block); }
};

} // namespace ds4
