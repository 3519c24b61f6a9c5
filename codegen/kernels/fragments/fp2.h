// Fragments of rocmfp2: four blocks, 10 dwords. A 2-bit code put into the mantissa of 4, 16 or 64 is that number plus the code,
// whichever place of a half the code stands in; the sum of (that number + 1) x is taken off beforehand.
#pragma once

#include "product.h"

namespace ds4 {

struct RocmFp2Fragment : FragmentDefaults {
  static constexpr int kBlocks = 4, kWords = 10, kGroups = 2, kCorrections = 2;
  static constexpr PairOrder kOrder = PairOrder::Near;
  static constexpr float kOffsets[8] = {17, 5, 65, 17, 5, 65, 17, 5};
  static constexpr bool kIntegers = true;
  static constexpr float kFactorUnit = 0x1p112f;

  DS4_DEVICE constexpr int groupOf(int step, int) { return step / 2; }
  DS4_DEVICE constexpr float unit() { return 128; } // a scale byte shifted by 7 is a half of the scale / 128

  DS4_DEVICE void decode(U32 (&pairs)[4], const U32 (&words)[kWords], int block, int step) {
    const U32 codes = codesOf(words, block, step / 2);
    const U32 k4 = kept(0x44004400), k16 = kept(0x4c004c00), k64 = kept(0x54005400);
    constexpr U32 kMask4 = 0x03000300, kMask16 = 0x00c000c0, kMask64 = 0x00300030;
    if (step % 2 == 0) {
      U32 up = codes << 6;
      pairs[0] = (up & kMask16) | k16;
      pairs[1] = (up & kMask4) | k4;
      pairs[2] = (codes & kMask64) | k64;
      pairs[3] = (codes & kMask16) | k16;
    } else {
      U32 down = codes >> 6;
      pairs[0] = (codes & kMask4) | k4;
      pairs[1] = (down & kMask64) | k64;
      pairs[2] = (down & kMask16) | k16;
      pairs[3] = (down & kMask4) | k4;
    }
  }

  // Of a group's 16 weights.
  DS4_DEVICE U32 codesOf(const U32 (&words)[kWords], int block, int group) {
    const int first = block / 2 * 5 + group;
    return block % 2 ? alignBytes(words[first + 3], words[first + 2], 2) : words[first];
  }

  // Codes themselves, which are one more than their weights.
  static constexpr int kMostInteger = 2, kIntegerOffset = -1;
  DS4_DEVICE constexpr int placeOf(int word, int byte) { return byte * 4 + word; }
  DS4_DEVICE void integers(U32 (&bytes)[1][4], const U32 (&words)[kWords], int block, int half) {
    const U32 codes = codesOf(words, block, half);
#pragma unroll
    for (int i = 0; i < 4; ++i)
      bytes[0][i] = codes >> 2 * i & 0x03030303;
  }
  DS4_DEVICE float factor(const U32 (&words)[kWords], int block, int half) {
    return floatOf(scaleBits(words[block / 2 * 5 + 2 + block % 2 * 2], block % 2 * 2 + half));
  }

  DS4_DEVICE float scale(const U32 (&words)[kWords], int block, int group) {
    U32 word = words[block / 2 * 5 + 2 + block % 2 * 2];
    return pairHalf(opaque(permuteBytes(word, word, block % 2 ? 0x0c030c02 : 0x0c010c00) << 7), group);
  }
};

} // namespace ds4
