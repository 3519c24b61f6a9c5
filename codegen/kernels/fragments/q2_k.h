// Fragments of q2_k: one super-block of eight sub-blocks, 21 dwords. A dword holds four weights of each of four sub-blocks; a code
// put into the mantissa of 1024, 256, 64 or 16 is that number plus the code, whichever two bits of a byte it stands in.
#pragma once

#include "product.h"

namespace ds4 {

struct Q2_KFragment : FragmentDefaults {
  static constexpr int kBlocks = 8, kWords = 21, kGroups = 2, kCorrections = 2;
  static constexpr bool kHasMinima = true;
  static constexpr PairOrder kOrder = PairOrder::Far;

  DS4_DEVICE constexpr int groupOf(int, int pair) { return pair / 2; }
  DS4_DEVICE constexpr float offset(int block) { return 1024 >> block % 4 * 2; }

  DS4_DEVICE void decode(U32 (&pairs)[4], const U32 (&words)[kWords], int block, int step) {
    int place = block % 4;
    U32 mask = 0x00030003u << place * 2, number = 0x64006400u - 0x08000800u * place;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      U32 codes = words[4 + block / 4 * 8 + half * 4 + step];
      pairs[2 * half] = (codes & mask) | number;
      pairs[2 * half + 1] = (codes >> 8 & mask) | number;
    }
  }

  DS4_DEVICE U32 packed(const U32 (&words)[kWords], int block, int group) {
    return words[block / 2] >> (block % 2 * 16 + group * 8);
  }
  DS4_DEVICE float scale(const U32 (&words)[kWords], int block, int group) {
    return lowHalf(words[20]) * static_cast<float>(packed(words, block, group) & 15);
  }
  DS4_DEVICE float minimum(const U32 (&words)[kWords], int block, int group) {
    return highHalf(words[20]) * static_cast<float>(packed(words, block, group) >> 4 & 15);
  }
};

} // namespace ds4
