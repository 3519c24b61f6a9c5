// Fragments of rocmfp3_mix: four blocks, 14 dwords. A group's 16 codes are two octets of three bytes. Its two dwords of codes hold
// bytes 0 1 of both octets and bytes 1 2 of both: in them any two weights' codes of both octets are a shift and a mask each away
// from being the bytes that look levels up, all in the table of the group's codebook. As integers an octet's codes are spread
// to nibbles instead (fp3.h).
#pragma once

#include "fragments/fp3.h"
#include "fragments/mix.h"

namespace ds4 {

struct RocmFp3MixFragment : MixFragment {
  static constexpr int kWords = 14;
  static constexpr PairOrder kOrder = PairOrder::Near;
  U32 table[2][4], levels[2][4]; // as halves, as integers

  DS4_DEVICE RocmFp3MixFragment of(const MixLevels &levels) {
    RocmFp3MixFragment fragment;
    loadLevels(fragment.table[0], levels.half[0]);
    loadLevels(fragment.table[1], levels.half[1]);
    if constexpr (kHasQuadDots)
#pragma unroll
      for (int i = 0; i < 2; ++i)
        integerLevels(fragment.levels[i], fragment.table[i]);
    fragment.levelUnit = levels.unit;
    return fragment;
  }

  // The dword that ends with a block's scale bytes.
  DS4_DEVICE U32 scales(const U32 (&words)[kWords], int block) { return words[block / 2 * 7 + 3 + block % 2 * 3]; }

  // Bytes first, first + 1, first + 3, first + 4 of a group's six.
  DS4_DEVICE U32 codeBytes(const U32 (&words)[kWords], int block, int group, int first) {
    int byte = block * 14 + group * 6 + first, word = byte / 4;
    switch (byte % 4) {
    case 0:
      return permuteBytes(words[word + 1], words[word], 0x04030100);
    case 1:
      return permuteBytes(words[word + 1], words[word], 0x05040201);
    case 2:
      return permuteBytes(words[word + 1], words[word], 0x06050302);
    default:
      return permuteBytes(words[word + 1], words[word], 0x07060403);
    }
  }

  // The codes of weights 2 * pair and 2 * pair + 1 of both octets, one a byte.
  DS4_DEVICE U32 codesOf(U32 front, U32 back, int pair) {
    constexpr U32 kFirst = 0x00070007, kSecond = 0x07000700;
    switch (pair) {
    case 0:
      return (front & kFirst) | (front << 5 & kSecond);
    case 1:
      return (front >> 6 & kFirst) | (front >> 1 & kSecond);
    case 2:
      return (front >> 12 & kFirst) | (back << 1 & kSecond);
    default:
      return (back >> 10 & kFirst) | (back >> 5 & kSecond);
    }
  }

  DS4_DEVICE_METHOD void decode(U32 (&pairs)[4], const U32 (&words)[kWords], int block, int step) const {
    int group = step / 2;
    U32 chosen[4];
    bool second = scales(words, block) >> (block % 2 * 16 + group * 8 + 7) & 1;
#pragma unroll
    for (int i = 0; i < 4; ++i)
      chosen[i] = second ? table[1][i] : table[0][i];
    U32 front = codeBytes(words, block, group, 0), back = codeBytes(words, block, group, 1);
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      lookUpPairs(pairs, i, chosen, codesOf(front, back, step % 2 * 2 + i));
    }
  }

  DS4_DEVICE_METHOD void integers(U32 (&bytes)[2][4], const U32 (&words)[kWords], int block, int half) const {
    U32 chosen[4];
    const bool second = scales(words, block) >> (block % 2 * 16 + half * 8 + 7) & 1;
#pragma unroll
    for (int i = 0; i < 4; ++i)
      chosen[i] = second ? levels[1][i] : levels[0][i];
    const int at = block * 14 + half * 6;
    lookUpIntegers(bytes, chosen, octetNibbles(words, at), octetNibbles(words, at + 3));
  }
  DS4_DEVICE float factor(const U32 (&words)[kWords], int block, int half) {
    return floatOf(scaleBits(scales(words, block), block % 2 * 2 + half, 0x07f00000));
  }

  DS4_DEVICE float scale(const U32 (&words)[kWords], int block, int group) { return scaleOf(scales(words, block), block, group); }
};

} // namespace ds4
