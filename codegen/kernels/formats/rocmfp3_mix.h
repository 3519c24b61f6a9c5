// ROCmFP3 MIX: the bytes of rocmfp3; each slice has levels of its own, in two codebooks, and a code is their index.
#pragma once

#include "formats/mix.h"

namespace ds4 {

struct RocmFp3Mix : BlockFormat<RocmFp3Mix> {
  static constexpr int kBlock = 32, kBlockBytes = 14;
  U32 table[2][4];

  DS4_DEVICE RocmFp3Mix of(const MixLevels &levels) {
    RocmFp3Mix format;
    loadLevels(format.table[0], levels.single[0]);
    loadLevels(format.table[1], levels.single[1]);
    return format;
  }

  template <int Align> DS4_DEVICE_METHOD void decode(const void *base, U32 row, U32 run, float (&w)[kRun]) const {
    U32 offset = row + run * kBlockBytes, words[3], bytes = loadHalfBits(base, offset + 12);
    load<1>(words, base, offset);
#pragma unroll
    for (int group = 0; group < 2; ++group) { // 16 weights
      U32 byte = bytes >> group * 8, chosen[4];
      float scale = scaleOfByte(byte & 0x7f), levels[4];
#pragma unroll
      for (int i = 0; i < 4; ++i)
        chosen[i] = byte & 0x80 ? table[1][i] : table[0][i];
#pragma unroll
      for (int k = 0; k < 16; k += 4) {
        U32 codes = 0;
#pragma unroll
        for (int i = 0; i < 4; ++i)
          codes |= static_cast<U32>(streamCode<3>(words, group * 16 + k + i)) << 8 * i;
        lookUp(levels, chosen, codes);
#pragma unroll
        for (int i = 0; i < 4; ++i)
          w[group * 16 + k + i] = scale * levels[i];
      }
    }
  }
};

} // namespace ds4
