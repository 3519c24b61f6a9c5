// ROCmFP4_FAST: 32 weights; 16 bytes of codes (fp4.h), one scale byte (scale_byte.h).
#pragma once

#include "formats/block.h"
#include "formats/fp4.h"
#include "formats/scale_byte.h"

namespace ds4 {

struct RocmFp4Fast : BlockFormat<RocmFp4Fast> {
  static constexpr int kBlock = 32, kBlockBytes = 17;

  template <int Align> DS4_DEVICE void decode(const void *base, U32 row, U32 run, float (&w)[kRun]) {
    U32 offset = row + run * kBlockBytes, words[4];
    float scale = scaleOfByte(loadByte(base, offset + 16));
    load<1>(words, base, offset);
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      w[i] = scale * fp4Level(byteOf(words, i) & 15);
      w[i + 16] = scale * fp4Level(byteOf(words, i) >> 4);
    }
  }
};

} // namespace ds4
