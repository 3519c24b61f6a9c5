// What fragments of the MIX formats share: four blocks of two groups, levels of the slice as halves in two planes of bytes, scale
// bytes whose bit 7 is the codebook.
#pragma once

#include "formats/mix.h"
#include "product.h"

namespace ds4 {

struct MixFragment : FragmentDefaults {
  static constexpr int kBlocks = 4, kGroups = 2;
  static constexpr bool kScaledHalves = true; // rounds a level times its scale
  float levelUnit;

  DS4_DEVICE constexpr int groupOf(int step, int) { return step / 2; }
  DS4_DEVICE_METHOD float unit() const { return 128 * levelUnit; } // a scale byte shifted by 7 is a half of the scale / 128

  // Pairs 2 * i and 2 * i + 1: the levels of four codes, which are the bytes of `codes`.
  DS4_DEVICE void lookUpPairs(U32 (&pairs)[4], int i, const U32 (&table)[4], U32 codes) {
    U32 low = lookUpBytes(table[1], table[0], codes), high = lookUpBytes(table[3], table[2], codes);
    pairs[2 * i] = permuteBytes(high, low, 0x06020400);
    pairs[2 * i + 1] = permuteBytes(high, low, 0x07030501);
  }

  // All four pairs, of eight codes that are nibbles.
  DS4_DEVICE void lookUpNibblePairs(U32 (&pairs)[4], const U32 (&table)[4], U32 codes) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const U32 select = i ? codes >> 16 : codes;
      const U32 low = lookUpFour(table[1], table[0], select), high = lookUpFour(table[3], table[2], select);
      pairs[2 * i] = permuteBytes(high, low, 0x05010400);
      pairs[2 * i + 1] = permuteBytes(high, low, 0x07030602);
    }
  }

  // `scales` ends with a block's scale bytes: of every second block in its upper half.
  DS4_DEVICE float scaleOf(U32 scales, int block, int group) {
    return pairHalf(opaque(permuteBytes(scales, scales, block % 2 ? 0x0c030c02 : 0x0c010c00) << 7) & 0x3fff3fff, group);
  }
};

} // namespace ds4
