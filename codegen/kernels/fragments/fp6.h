// Fragments of rocmfp6: four blocks, 26 dwords. Six bytes are eight codes, so that codes i and i + 8 stand at the same bit of bytes
// that are six apart: these are brought into one dword, whose halves become magnitudes (a number put into the mantissa of 1024,
// less 1024) and get their signs.
#pragma once

#include "product.h"

namespace ds4 {

struct RocmFp6Fragment : FragmentDefaults {
  static constexpr int kBlocks = 4, kWords = 26, kGroups = 2;
  static constexpr PairOrder kOrder = PairOrder::Near;

  DS4_DEVICE constexpr int groupOf(int step, int) { return step / 2; }
  DS4_DEVICE constexpr float unit() { return 128; } // a scale byte shifted by 7 is a half of the scale / 128

  // Bytes first, first + 1, first + 6, first + 7 of the fragment.
  DS4_DEVICE U32 farBytes(const U32 (&words)[kWords], int first) {
    int word = first / 4;
    switch (first % 4) {
    case 0:
      return permuteBytes(words[word + 1], words[word], 0x07060100);
    case 1:
      return permuteBytes(alignBytes(words[word + 2], words[word + 1], 3), words[word], 0x05040201);
    case 2:
      return permuteBytes(words[word + 2], words[word], 0x05040302);
    default:
      return permuteBytes(words[word + 2], alignBytes(words[word + 1], words[word], 3), 0x06050100);
    }
  }

  // The codes that begin at bit `from` of both halves, 0 to 10.
  DS4_DEVICE U32 signedPair(U32 halves, int from) {
    U32 magnitude = subtractHalves((halves >> from & 0x001f001f) | 0x64006400, 0x64006400);
    return (halves << (10 - from) & 0x80008000) | magnitude;
  }

  DS4_DEVICE void decode(U32 (&pairs)[4], const U32 (&words)[kWords], int block, int step) {
    int first = block * 26 + step / 2 * 12 + step % 2 * 3;
    U32 front = farBytes(words, first), back = farBytes(words, first + 1);
    pairs[0] = signedPair(front, 0);
    pairs[1] = signedPair(front, 6);
    pairs[2] = signedPair(back, 4);
    pairs[3] = signedPair(back, 10);
  }

  DS4_DEVICE float scale(const U32 (&words)[kWords], int block, int group) {
    U32 word = words[block / 2 * 13 + 6 + block % 2 * 6];
    return pairHalf(opaque(permuteBytes(word, word, block % 2 ? 0x0c030c02 : 0x0c010c00) << 7), group);
  }
};

} // namespace ds4
