// Fragments of q3_k: one super-block, 110 bytes. Two lower bits a weight as in q2_k.h, a third one beside them; w = d * (scale -
// 32) * (q - 4).
#pragma once

#include "fragments/q4_0.h"

namespace ds4 {

struct Q3_KFragment : FragmentDefaults {
  static constexpr int kBlocks = 8, kWords = 28, kPadding = 2, kGroups = 2, kCorrections = 2;
  static constexpr PairOrder kOrder = PairOrder::Far;

  DS4_DEVICE constexpr int groupOf(int, int pair) { return pair / 2; }
  DS4_DEVICE constexpr float offset(int block) { return (1024 >> block % 4 * 2) + 4; }

  DS4_DEVICE void decode(U32 (&pairs)[4], const U32 (&words)[kWords], int block, int step) {
    int place = block % 4;
    U32 mask = 0x00030003u << place * 2, number = 0x64006400u - 0x08000800u * place;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      U32 codes = words[8 + block / 4 * 8 + half * 4 + step];
      pairs[2 * half] = (codes & mask) | number;
      pairs[2 * half + 1] = (codes >> 8 & mask) | number;
      addUpperBits<1>(pairs, 2 * half, words[half * 4 + step], block, place * 2 + 2);
    }
  }

  DS4_DEVICE float scale(const U32 (&words)[kWords], int block, int group) {
    int s = 2 * block + group;
    U32 bits = (words[24 + s % 8 / 4] >> (s % 4 * 8 + s / 8 * 4) & 15) | (words[26] >> (s % 4 * 8 + s / 4 * 2) & 3) << 4;
    return lowHalf(words[27]) * static_cast<float>(static_cast<int>(bits) - 32);
  }
};

} // namespace ds4
