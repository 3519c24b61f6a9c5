// Fragments of rocmfp8: four blocks, 33 dwords, whose bytes enter as those of q8_0 do.
#pragma once

#include "fragments/q8_0.h"

namespace ds4 {

struct RocmFp8Fragment : FragmentDefaults {
  static constexpr int kBlocks = 4, kWords = 33, kGroups = 1, kCorrections = 1;
  static constexpr PairOrder kOrder = PairOrder::Far;
  static constexpr U32 kOffsetPair = Q8_0Fragment::kOffsetPair, kFarOffsetPair = kOffsetPair;

  DS4_DEVICE constexpr int groupOf(int, int) { return 0; }
  DS4_DEVICE constexpr float unit() { return 128; } // a scale byte shifted by 7 is a half of the scale / 128

  DS4_DEVICE void decode(U32 (&pairs)[4], const U32 (&words)[kWords], int block, int step) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      int byte = block * 33 + half * 16 + step * 4; // of the fragment
      signedBytes(pairs, 2 * half, byte % 4 ? alignBytes(words[byte / 4 + 1], words[byte / 4], byte % 4) : words[byte / 4]);
    }
  }

  DS4_DEVICE float scale(const U32 (&words)[kWords], int block, int) { // two blocks' bytes at once
    U32 pair = block < 2 ? permuteBytes(words[16], words[8], 0x0c050c00) : permuteBytes(words[32], words[24], 0x0c070c02);
    return pairHalf(opaque(pair << 7), block % 2);
  }
};

} // namespace ds4
