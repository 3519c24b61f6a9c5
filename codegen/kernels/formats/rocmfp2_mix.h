// ROCmFP2 MIX: the bytes of rocmfp2; each slice has levels of its own, in two codebooks.
#pragma once

#include "formats/mix.h"

namespace ds4 {

struct RocmFp2Mix : BlockFormat<RocmFp2Mix> {
  static constexpr int kRun = 32, kBlock = 32, kBlockBytes = 10;
  U32 table[4]; // both codebooks

  DS4_DEVICE RocmFp2Mix of(const MixLevels &levels) {
    RocmFp2Mix format;
    loadLevels(format.table, levels.single[0]);
    return format;
  }

  template <int Align> DS4_DEVICE_METHOD void decode(const void *base, U32 row, U32 run, float (&w)[kRun]) const {
    U32 offset = row + run * kBlockBytes, words[2], bytes = loadHalfBits(base, offset + 8);
    load<1>(words, base, offset);
#pragma unroll
    for (int group = 0; group < 2; ++group) { // 16 weights
      U32 byte = bytes >> group * 8;
      float scale = scaleOfByte(byte & 0x7f), levels[4];
      U32 codebook = byte & 0x80 ? 0x04040404 : 0;
#pragma unroll
      for (int k = 0; k < 4; ++k) { // weight k of each four
        lookUp(levels, table, (words[group] >> 2 * k & 0x03030303) | codebook);
#pragma unroll
        for (int i = 0; i < 4; ++i)
          w[group * 16 + i * 4 + k] = scale * levels[i];
      }
    }
  }
};

} // namespace ds4
