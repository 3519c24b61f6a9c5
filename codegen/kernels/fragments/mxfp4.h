// Fragments of mxfp4: four blocks, 17 dwords, decoded as rocmfp4_fast (fp4.h) with other magnitudes. The scale's exponent comes
// first.
#pragma once

#include "product.h"

namespace ds4 {

struct MXFP4Fragment : FragmentDefaults {
  static constexpr int kBlocks = 4, kWords = 17, kGroups = 1;
  static constexpr PairOrder kOrder = PairOrder::Far;
  static constexpr bool kIntegers = true, kInterleaved = true, kSplit = true;

  DS4_DEVICE constexpr int groupOf(int, int) { return 0; }

  DS4_DEVICE void decode(U32 (&pairs)[4], const U32 (&words)[kWords], int block, int step) {
    int byte = block * 17 + 1 + step * 4; // of the fragment
    U32 codes = byte % 4 ? alignBytes(words[byte / 4 + 1], words[byte / 4], byte % 4) : words[byte / 4];
    constexpr U32 kHigh = 0x46444240, kLow = 0x3e3c3800; // high bytes of the halves 0 0.5 1 1.5 2 3 4 6
    U32 low, high;
    lookUpNibbles(low, high, kHigh, kLow, codes);
    low |= codes << 4 & 0x80808080;
    high |= codes & 0x80808080;
    pairs[0] = permuteBytes(low, low, 0x020c000c);
    pairs[1] = low & 0xff00ff00;
    pairs[2] = permuteBytes(high, high, 0x020c000c);
    pairs[3] = high & 0xff00ff00;
  }

  DS4_DEVICE void integers(U32 (&up)[2], U32 (&down)[2], const Byte *row, int block, U32 t) { // twice the numbers
    splitNibbles(up, down, 0x0c080604, 0x03020100, unalignedWord(row, block * 17 + 1, t * 4));
  }
  DS4_DEVICE float factor(const Byte *row, int block) {
    return 0.5f * floatOf(larger(static_cast<U32>(row[block * 17]) << 23, 0x00400000u));
  }

  DS4_DEVICE float scale(const U32 (&words)[kWords], int block, int) { // 2^(byte - 127)
    return floatOf(larger((words[block * 17 / 4] >> block * 8 & 0xff) << 23, 0x00400000u));
  }
};

} // namespace ds4
