// Fragments of rocmfp4 and rocmfp4_fast: four blocks, 18 or 17 dwords. The magnitudes' high bytes come from a table of eight,
// the sign is the code's upper bit.
#pragma once

#include "product.h"

namespace ds4 {

template <bool Fast> struct Fp4Fragment : FragmentDefaults {
  static constexpr int kBlocks = 4, kWords = Fast ? 17 : 18, kGroups = Fast ? 1 : 2;
  static constexpr PairOrder kOrder = PairOrder::Far;
  static constexpr bool kScaledHalves = true, kIntegers = Fast, kFar = true, kSplit = true;
  static constexpr int kIntegerSets = 2;
  static constexpr float kFactorUnit = 0x1p112f;

  DS4_DEVICE constexpr int groupOf(int, int pair) { return Fast ? 0 : pair / 2; }
  DS4_DEVICE constexpr float unit() { return 128; } // a scale byte shifted by 7 is a half of the scale / 128

  DS4_DEVICE void decode(U32 (&pairs)[4], const U32 (&words)[kWords], int block, int step) {
    int byte = block * (kWords) + step * 4; // of the fragment: a block has kWords bytes
    U32 codes = byte % 4 ? alignBytes(words[byte / 4 + 1], words[byte / 4], byte % 4) : words[byte / 4];
    constexpr U32 kHigh = 0x49484644, kLow = 0x42403c00; // halves of 0 1 2 3 4 6 8 10
    U32 low, high;
    lookUpNibbles(low, high, kHigh, kLow, codes);
    low |= codes << 4 & 0x80808080;
    high |= codes & 0x80808080;
    pairs[0] = permuteBytes(low, low, 0x020c000c);
    pairs[1] = low & 0xff00ff00; // an and can share an issue with another instruction, a permutation cannot
    pairs[2] = permuteBytes(high, high, 0x020c000c);
    pairs[3] = high & 0xff00ff00;
  }

  static constexpr U32 kUpper = 0x0a080604, kLower = 0x03020100; // magnitudes
  DS4_DEVICE constexpr int placeOf(int word, int byte) { return word / 2 * 4 + word % 2 * 2 + byte / 2 + byte % 2 * 8; }
  DS4_DEVICE void integers(U32 (&bytes)[2][4], const U32 (&words)[kWords], int block, int half) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int at = block * kWords + half * 8 + i * 4; // of the fragment's bytes: a block has kWords
      U32 up[2], down[2];
      splitNibbles(up, down, kUpper, kLower, at % 4 ? alignBytes(words[at / 4 + 1], words[at / 4], at % 4) : words[at / 4]);
#pragma unroll
      for (int k = 0; k < 2; ++k) {
        bytes[0][2 * i + k] = up[k];
        bytes[1][2 * i + k] = down[k];
      }
    }
  }
  DS4_DEVICE float factor(const U32 (&words)[kWords], int block, int) {
    const int at = block * 17 + 16;
    return floatOf(scaleBits(words[at / 4], at % 4));
  }
  DS4_DEVICE void sharedIntegers(U32 (&up)[2], U32 (&down)[2], const Byte *row, int block, U32 t) {
    splitNibbles(up, down, kUpper, kLower, unalignedWord(row, block * 17, t * 4));
  }
  DS4_DEVICE float sharedFactor(const Byte *row, int block) { return floatOf(static_cast<U32>(row[block * 17 + 16]) << 20); }

  DS4_DEVICE float scale(const U32 (&words)[kWords], int block, int group) {
    if constexpr (Fast) { // two blocks' bytes at once
      U32 pair = block < 2 ? permuteBytes(words[8], words[4], 0x0c050c00) : permuteBytes(words[16], words[12], 0x0c070c02);
      return pairHalf(opaque(pair << 7), block % 2);
    } else {
      int word = block / 2 * 9 + 4 + block % 2 * 4;
      U32 pair = permuteBytes(words[word], words[word], block % 2 ? 0x0c030c02 : 0x0c010c00);
      return pairHalf(opaque(pair << 7), group);
    }
  }
};
using RocmFp4FastFragment = Fp4Fragment<true>;
using RocmFp4Fragment = Fp4Fragment<false>;

} // namespace ds4
