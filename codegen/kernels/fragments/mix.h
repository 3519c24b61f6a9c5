// What fragments of the MIX formats share: four blocks of two groups, levels of the slice as halves in two planes of bytes, scale
// bytes whose bit 7 is the codebook. For the matrix unit levels are integers of 15 bits, in two planes, too.
#pragma once

#include "formats/mix.h"
#include "product.h"

namespace ds4 {

// Eight levels as integers: upper parts, which have the sign, then lower ones, of 7 bits. Levels are halves below 2^13 in two
// planes.
DS4_DEVICE void integerLevels(U32 (&integers)[4], const U32 (&halves)[4]) {
#pragma unroll
  for (int i = 0; i < 4; ++i)
    integers[i] = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const int shift = i % 4 * 8;
    const U32 bits = (halves[i / 4] >> shift & 0xff) | (halves[2 + i / 4] >> shift & 0xff) << 8;
    const int level = static_cast<int>(rint(2 * halfToFloat(static_cast<U16>(bits))));
    integers[i / 4] |= (static_cast<U32>(level >> 7) & 0xff) << shift;
    integers[2 + i / 4] |= (static_cast<U32>(level) & 0x7f) << shift;
  }
}

struct MixFragment : FragmentDefaults {
  static constexpr int kBlocks = 4, kGroups = 2;
  static constexpr bool kIntegers = true;
  static constexpr int kIntegerSets = 2;
  static constexpr float kFactorUnit = 0x1p118f; // 64 of it: integers are twice the levels, 128 to an upper part
  float levelUnit;

  DS4_DEVICE constexpr int groupOf(int step, int) { return step / 2; }
  DS4_DEVICE_METHOD float unit() const { return 128 * levelUnit; } // a scale byte shifted by 7 is a half of the scale / 128

  // Pairs 2 * i and 2 * i + 1: the levels of four codes, which are the bytes of `codes`.
  DS4_DEVICE void lookUpPairs(U32 (&pairs)[4], int i, const U32 (&table)[4], U32 codes) {
    U32 low = lookUpBytes(table[1], table[0], codes), high = lookUpBytes(table[3], table[2], codes);
    pairs[2 * i] = permuteBytes(high, low, 0x06020400);
    pairs[2 * i + 1] = permuteBytes(high, low, 0x07030501);
  }

  // Bytes of half a block from its codes as nibbles: four of them where the words of selectors begin.
  DS4_DEVICE void lookUpIntegers(U32 (&bytes)[2][4], const U32 (&table)[4], U32 first, U32 second) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const U32 codes = (i / 2 ? second : first) >> i % 2 * 16;
      bytes[0][i] = lookUpFour(table[1], table[0], codes);
      bytes[1][i] = lookUpFour(table[3], table[2], codes);
    }
  }

  // `scales` ends with a block's scale bytes: of every second block in its upper half.
  DS4_DEVICE float scaleOf(U32 scales, int block, int group) {
    return pairHalf(opaque(permuteBytes(scales, scales, block % 2 ? 0x0c030c02 : 0x0c010c00) << 7) & 0x3fff3fff, group);
  }
};

} // namespace ds4
