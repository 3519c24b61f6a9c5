// Fragments of mxfp4: four blocks, 17 dwords, decoded as rocmfp4_fast (fp4.h) with other magnitudes. The scale's exponent comes
// first.
#pragma once

#include "product.h"

namespace ds4 {

struct MXFP4Fragment : FragmentDefaults {
  static constexpr int kBlocks = 4, kWords = 17, kGroups = 1;
  static constexpr PairOrder kOrder = PairOrder::Far;
  static constexpr bool kIntegers = true, kFar = true, kSplit = true;
  static constexpr int kIntegerSets = 2;
  static constexpr float kFactorUnit = 0.5f; // integers are twice the numbers

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

  static constexpr U32 kUpper = 0x0c080604, kLower = 0x03020100; // magnitudes
  DS4_DEVICE constexpr int placeOf(int word, int byte) { return word / 2 * 4 + word % 2 * 2 + byte / 2 + byte % 2 * 8; }
  DS4_DEVICE void integers(U32 (&bytes)[2][4], const U32 (&words)[kWords], int block, int half) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int at = block * 17 + 1 + half * 8 + i * 4; // of the fragment's bytes
      U32 up[2], down[2];
      splitNibbles(up, down, kUpper, kLower, at % 4 ? alignBytes(words[at / 4 + 1], words[at / 4], at % 4) : words[at / 4]);
#pragma unroll
      for (int k = 0; k < 2; ++k) {
        bytes[0][2 * i + k] = up[k];
        bytes[1][2 * i + k] = down[k];
      }
    }
  }
  DS4_DEVICE float factor(const U32 (&words)[kWords], int block, int) { return scale(words, block, 0); }
  DS4_DEVICE void sharedIntegers(U32 (&up)[2], U32 (&down)[2], const Byte *row, int block, U32 t) {
    splitNibbles(up, down, kUpper, kLower, unalignedWord(row, block * 17 + 1, t * 4));
  }
  DS4_DEVICE float sharedFactor(const Byte *row, int block) {
    return floatOf(larger(static_cast<U32>(row[block * 17]) << 23, 0x00400000u));
  }

  DS4_DEVICE float scale(const U32 (&words)[kWords], int block, int) { // 2^(byte - 127)
    return floatOf(larger((words[block * 17 / 4] >> block * 8 & 0xff) << 23, 0x00400000u));
  }
};

} // namespace ds4
