// Fragments of q4_0: four blocks, 18 dwords. A nibble put into a mantissa where it stands is 1024 (lower) or 64 (upper) plus its
// number; the sums of (that + 8) x are taken off beforehand.
#pragma once

#include "product.h"

namespace ds4 {

// Bytes 0 and 2, then 1 and 3, of the nibbles of a dword as pairs of halves.
DS4_DEVICE void lowNibbles(U32 (&pairs)[4], int first, U32 nibbles) { // 1024 + number
  pairs[first] = (nibbles & 0x000f000f) | 0x64006400;
  pairs[first + 1] = (nibbles >> 8 & 0x000f000f) | 0x64006400;
}
DS4_DEVICE void highNibbles(U32 (&pairs)[4], int first, U32 nibbles) { // 64 + number
  pairs[first] = (nibbles & 0x00f000f0) | 0x54005400;
  pairs[first + 1] = (nibbles >> 8 & 0x00f000f0) | 0x54005400;
}

// The bits Mask << from of bytes 0 and 2, then 1 and 3, of a dword, to bit `to` of both halves of the pairs.
template <U32 Mask> DS4_DEVICE void addUpperBits(U32 (&pairs)[4], int first, U32 bits, int from, int to) {
  const U32 mask = (Mask * 0x00010001u) << to;
  pairs[first] |= (from < to ? bits << (to - from) : bits >> (from - to)) & mask;
  pairs[first + 1] |= bits >> (8 + from - to) & mask;
}

struct Q4_0Fragment : FragmentDefaults {
  static constexpr int kBlocks = 4, kWords = 18, kGroups = 1, kCorrections = 1;
  static constexpr PairOrder kOrder = PairOrder::Far;
  static constexpr U32 kOffsetPair = 0x64086408, kFarOffsetPair = 0x54805480; // 1032, 72
  static constexpr bool kScaledHalves = true;

  DS4_DEVICE constexpr U32 offsetPair(int, int pair) { return pair < 2 ? kOffsetPair : kFarOffsetPair; }

  DS4_DEVICE constexpr int groupOf(int, int) { return 0; }

  DS4_DEVICE void decode(U32 (&pairs)[4], const U32 (&words)[kWords], int block, int step) {
    int byte = block * 18 + 2 + step * 4; // of the fragment
    U32 codes = byte % 4 ? alignBytes(words[byte / 4 + 1], words[byte / 4], 2) : words[byte / 4];
    lowNibbles(pairs, 0, codes);
    highNibbles(pairs, 2, codes);
  }

  DS4_DEVICE float scale(const U32 (&words)[kWords], int block, int) { return pairHalf(words[block * 18 / 4], block % 2); }
};

} // namespace ds4
