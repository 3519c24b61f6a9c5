// Fragments of rocmfp3: four blocks, 14 dwords. The 12 bytes of a block are four octets of eight codes; byte k of all octets is
// brought into one dword, so that one shift and mask selects the codes of weight i of each octet. As integers an octet's codes are
// spread to nibbles instead, which a permutation takes.
#pragma once

#include "product.h"

namespace ds4 {

// The codes of the octet that begins with byte `at` of a fragment, as nibbles.
template <int Words> DS4_DEVICE U32 octetNibbles(const U32 (&words)[Words], int at) {
  return nibblesOfThrees(at % 4 ? alignBytes(words[smaller(at / 4 + 1, Words - 1)], words[at / 4], at % 4) : words[at / 4]);
}

struct RocmFp3Fragment : FragmentDefaults {
  static constexpr int kBlocks = 4, kWords = 14, kGroups = 2;
  static constexpr PairOrder kOrder = PairOrder::Octets;
  static constexpr bool kIntegers = true;
  static constexpr int kMostInteger = 4;
  static constexpr float kFactorUnit = 0x1p112f;

  DS4_DEVICE constexpr int groupOf(int, int pair) { return pair % 2; }
  DS4_DEVICE constexpr float unit() { return 128; } // a scale byte shifted by 7 is a half of the scale / 128

  // Byte k of octets 0, 2, 1, 3.
  DS4_DEVICE U32 octetBytes(const U32 (&words)[kWords], int block, int k) {
    const U32 *w = words + block / 2 * 7 + block % 2 * 3;
    if (block % 2 == 0) // octet o begins at byte 3 o
      return k == 0   ? permuteBytes(w[2], permuteBytes(w[1], w[0], 0x00030600), 0x05020100)
             : k == 1 ? permuteBytes(w[2], permuteBytes(w[1], w[0], 0x00040701), 0x06020100)
                      : permuteBytes(w[2], permuteBytes(w[1], w[0], 0x00050002), 0x07020400);
    return k == 0   ? permuteBytes(w[2], permuteBytes(w[1], w[0], 0x00050002), 0x07020400) // at byte 3 o + 2
           : k == 1 ? permuteBytes(permuteBytes(w[3], w[2], 0x00000401), permuteBytes(w[1], w[0], 0x00000603), 0x05010400)
                    : permuteBytes(w[3], permuteBytes(w[2], w[1], 0x00030600), 0x05020100);
  }

  DS4_DEVICE U32 codesOf(const U32 (&words)[kWords], int block, int i) {
    auto bytes = [&](int k) { return octetBytes(words, block, k); };
    switch (i) {
    case 0:
      return bytes(0) & 0x07070707;
    case 1:
      return bytes(0) >> 3 & 0x07070707;
    case 2:
      return (bytes(0) >> 6 & 0x03030303) | (bytes(1) << 2 & 0x04040404);
    case 3:
      return bytes(1) >> 1 & 0x07070707;
    case 4:
      return bytes(1) >> 4 & 0x07070707;
    case 5:
      return (bytes(1) >> 7 & 0x01010101) | (bytes(2) << 1 & 0x06060606);
    case 6:
      return bytes(2) >> 2 & 0x07070707;
    default:
      return bytes(2) >> 5 & 0x07070707;
    }
  }

  DS4_DEVICE void decode(U32 (&pairs)[4], const U32 (&words)[kWords], int block, int step) {
    constexpr U32 kHigh = 0xc4c0bc00, kLow = 0x44403c00; // high bytes of 0 -1 -2 -4, 0 1 2 4
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      U32 levels = lookUpBytes(kHigh, kLow, codesOf(words, block, 2 * step + i));
      pairs[2 * i] = permuteBytes(levels, levels, 0x020c000c);
      pairs[2 * i + 1] = levels & 0xff00ff00;
    }
  }

  DS4_DEVICE void integers(U32 (&bytes)[1][4], const U32 (&words)[kWords], int block, int half) {
    constexpr U32 kHigh = 0xfcfeff00, kLow = 0x04020100;
#pragma unroll
    for (int octet = 0; octet < 2; ++octet) {
      const U32 codes = octetNibbles(words, block * 14 + half * 6 + octet * 3);
      bytes[0][2 * octet] = lookUpFour(kHigh, kLow, codes);
      bytes[0][2 * octet + 1] = lookUpFour(kHigh, kLow, codes >> 16);
    }
  }
  DS4_DEVICE float factor(const U32 (&words)[kWords], int block, int half) {
    return floatOf(scaleBits(words[block / 2 * 7 + 3 + block % 2 * 3], block % 2 * 2 + half));
  }

  DS4_DEVICE float scale(const U32 (&words)[kWords], int block, int group) {
    U32 word = words[block / 2 * 7 + 3 + block % 2 * 3];
    return pairHalf(opaque(permuteBytes(word, word, block % 2 ? 0x0c030c02 : 0x0c010c00) << 7), group);
  }
};

} // namespace ds4
