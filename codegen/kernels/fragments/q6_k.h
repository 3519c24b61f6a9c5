// Fragments of q6_k: one super-block, 210 bytes. Nibbles as in q4_0.h, two upper bits a weight beside them; w = d * scale * (q -
// 32).
#pragma once

#include "fragments/q4_0.h"

namespace ds4 {

struct Q6_KFragment : FragmentDefaults {
  static constexpr int kBlocks = 8, kWords = 53, kPadding = 2, kGroups = 2, kCorrections = 2;
  static constexpr PairOrder kOrder = PairOrder::Far;

  DS4_DEVICE constexpr int groupOf(int, int pair) { return pair / 2; }
  DS4_DEVICE constexpr float offset(int block) { return block % 4 < 2 ? 1024 + 32 : 64 + 32; }

  DS4_DEVICE void decode(U32 (&pairs)[4], const U32 (&words)[kWords], int block, int step) {
    int half = block / 4, part = block % 4;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      U32 nibbles = words[half * 16 + part % 2 * 8 + i * 4 + step], upper = words[32 + half * 8 + i * 4 + step];
      if (part < 2)
        lowNibbles(pairs, 2 * i, nibbles);
      else
        highNibbles(pairs, 2 * i, nibbles);
      addUpperBits<3>(pairs, 2 * i, upper, part * 2, part < 2 ? 4 : 8);
    }
  }

  DS4_DEVICE float scale(const U32 (&words)[kWords], int block, int group) {
    return lowHalf(words[52]) * static_cast<float>(static_cast<signed char>(words[48 + block / 2] >> (block % 2 * 16 + group * 8)));
  }
};

} // namespace ds4
