// Fragments of rocmfp2_mix: four blocks, 10 dwords. Both codebooks are one table of eight halves in two planes of bytes; bit 7 of
// a scale byte becomes bit 2 of its codes.
#pragma once

#include "formats/mix.h"
#include "product.h"

namespace ds4 {

struct RocmFp2MixFragment : FragmentDefaults {
  static constexpr int kBlocks = 4, kWords = 10, kGroups = 2;
  static constexpr PairOrder kOrder = PairOrder::Crossed;
  U32 table[4];
  float levelUnit;

  DS4_DEVICE RocmFp2MixFragment of(const MixLevels &levels) {
    RocmFp2MixFragment fragment;
    loadLevels(fragment.table, levels.half[0]);
    fragment.levelUnit = levels.unit;
    return fragment;
  }

  DS4_DEVICE constexpr int groupOf(int step, int) { return step / 2; }
  DS4_DEVICE_METHOD float unit() const { return 128 * levelUnit; } // a scale byte shifted by 7 is a half of the scale / 128

  // The dword that ends with a block's scale bytes, and the bit of the first one's codebook.
  DS4_DEVICE U32 scales(const U32 (&words)[kWords], int block) { return words[block / 2 * 5 + 2 + block % 2 * 2]; }

  DS4_DEVICE_METHOD void decode(U32 (&pairs)[4], const U32 (&words)[kWords], int block, int step) const {
    int first = block / 2 * 5 + step / 2, bit = block % 2 * 16 + step / 2 * 8 + 7;
    U32 codes = block % 2 ? alignBytes(words[first + 3], words[first + 2], 2) : words[first];
    U32 codebook = signedBit(scales(words, block), bit) & 0x04040404;
#pragma unroll
    for (int i = 0; i < 2; ++i) { // weights k, k + 4, k + 8, k + 12 of the group
      int k = step % 2 * 2 + i;
      U32 four = (codes >> 2 * k & 0x03030303) | codebook;
      U32 low = permuteBytes(table[1], table[0], four), high = permuteBytes(table[3], table[2], four);
      pairs[2 * i] = permuteBytes(high, low, 0x06020400);
      pairs[2 * i + 1] = permuteBytes(high, low, 0x07030501);
    }
  }

  DS4_DEVICE float scale(const U32 (&words)[kWords], int block, int group) {
    U32 word = scales(words, block);
    return pairHalf(opaque(permuteBytes(word, word, block % 2 ? 0x0c030c02 : 0x0c010c00) << 7) & 0x3fff3fff, group);
  }
};

} // namespace ds4
