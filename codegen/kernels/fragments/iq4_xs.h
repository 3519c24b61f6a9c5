// Fragments of iq4_xs: one super-block of eight sub-blocks, 34 dwords. A code's level plus 128 is a byte of a table of 16, which
// enters as the half 1152 + level, as bytes of q8_0 do.
#pragma once

#include "fragments/q8_0.h"

namespace ds4 {

struct IQ4_XSFragment : FragmentDefaults {
  static constexpr int kBlocks = 8, kWords = 34, kGroups = 1, kCorrections = 1;
  static constexpr PairOrder kOrder = PairOrder::Far;
  static constexpr U32 kOffsetPair = Q8_0Fragment::kOffsetPair, kFarOffsetPair = kOffsetPair;

  DS4_DEVICE constexpr int groupOf(int, int) { return 0; }

  // The levels + 128 of the four codes in the lower nibbles: looked up among the negative ones and among the positive ones, and
  // of each two the one that bit 3 of the code says.
  DS4_DEVICE U32 levels(U32 codes) {
    U32 low = codes & 0x07070707, side = (codes >> 1 & 0x04040404) | 0x03020100;
    U32 negative = permuteBytes(0x766a5d4f, 0x3f2d1801, low); // -127 -104 -83 -65 -49 -35 -22 -10
    U32 positive = permuteBytes(0xf1d9c5b5, 0xa6998d81, low); // 1 13 25 38 53 69 89 113
    return permuteBytes(positive, negative, side);
  }

  DS4_DEVICE void decode(U32 (&pairs)[4], const U32 (&words)[kWords], int block, int step) {
    U32 codes = words[2 + block * 4 + step];
    biasedBytes(pairs, 0, levels(codes));
    biasedBytes(pairs, 2, levels(codes >> 4));
  }

  DS4_DEVICE float scale(const U32 (&words)[kWords], int block, int) {
    U32 bits = (words[1] >> block * 4 & 15) | (words[0] >> (16 + block * 2) & 3) << 4;
    return lowHalf(words[0]) * static_cast<float>(static_cast<int>(bits) - 32);
  }
};

} // namespace ds4
