// Fragments of rocmfp2_mix: four blocks, 10 dwords. Both codebooks are one table of eight halves in two planes of bytes; bit 7 of
// a scale byte becomes bit 2 of its codes.
#pragma once

#include "fragments/mix.h"

namespace ds4 {

struct RocmFp2MixFragment : MixFragment {
  static constexpr int kWords = 10;
  static constexpr PairOrder kOrder = PairOrder::Crossed;
  U32 table[4], levels[4]; // as halves, as integers

  DS4_DEVICE RocmFp2MixFragment of(const MixLevels &levels) {
    RocmFp2MixFragment fragment;
    loadLevels(fragment.table, levels.half[0]);
    if constexpr (kHasQuadDots)
      integerLevels(fragment.levels, fragment.table);
    fragment.levelUnit = levels.unit;
    return fragment;
  }

  // The dword that ends with a block's scale bytes, and the bit of the first one's codebook.
  DS4_DEVICE U32 scales(const U32 (&words)[kWords], int block) { return words[block / 2 * 5 + 2 + block % 2 * 2]; }

  DS4_DEVICE_METHOD void decode(U32 (&pairs)[4], const U32 (&words)[kWords], int block, int step) const {
    int first = block / 2 * 5 + step / 2, bit = block % 2 * 16 + step / 2 * 8 + 7;
    U32 codes = block % 2 ? alignBytes(words[first + 3], words[first + 2], 2) : words[first];
    U32 codebook = signedBit(scales(words, block), bit) & 0x04040404;
#pragma unroll
    for (int i = 0; i < 2; ++i) { // weights k, k + 4, k + 8, k + 12 of the group
      int k = step % 2 * 2 + i;
      lookUpPairs(pairs, i, table, (codes >> 2 * k & 0x03030303) | codebook);
    }
  }

  // Every second code is a nibble already.
  DS4_DEVICE constexpr int placeOf(int word, int byte) { return word % 2 * 8 + byte * 2 + word / 2; }
  DS4_DEVICE_METHOD void integers(U32 (&bytes)[2][4], const U32 (&words)[kWords], int block, int half) const {
    const int first = block / 2 * 5 + half;
    const U32 codes = block % 2 ? alignBytes(words[first + 3], words[first + 2], 2) : words[first],
              bytesOfScales = scales(words, block);
    const U32 sign = block % 2 ? half ? signOfByte<3>(bytesOfScales) : signOfByte<2>(bytesOfScales)
                     : half    ? signOfByte<1>(bytesOfScales)
                               : signOfByte<0>(bytesOfScales);
    const U32 book = sign & 0x44444444;
    lookUpIntegers(bytes, levels, opaque((codes & 0x33333333) | book), opaque((codes >> 2 & 0x33333333) | book));
  }
  DS4_DEVICE float factor(const U32 (&words)[kWords], int block, int half) {
    return floatOf(scaleBits(scales(words, block), block % 2 * 2 + half, 0x07f00000));
  }

  DS4_DEVICE float scale(const U32 (&words)[kWords], int block, int group) { return scaleOf(scales(words, block), block, group); }
};

} // namespace ds4
