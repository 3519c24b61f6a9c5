// ROCmFP4: 32 weights; 16 bytes of codes (fp4.h), two scale bytes (scale_byte.h), for weights 0..15 and 16..31.
#pragma once

#include "formats/block.h"
#include "formats/fp4.h"
#include "formats/scale_byte.h"

namespace ds4 {

struct RocmFp4 : BlockFormat<RocmFp4> {
  static constexpr int kBlock = 32, kBlockBytes = 18;

  template <int Align> DS4_DEVICE void decode(const void *base, U32 row, U32 run, float (&w)[kRun]) {
    U32 offset = row + run * kBlockBytes, words[4], scales = loadHalfBits(base, offset + 16);
    float scale[2] = {scaleOfByte(scales & 0xff), scaleOfByte(scales >> 8)};
    load<1>(words, base, offset);
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      w[i] = scale[0] * fp4Level(byteOf(words, i) & 15);
      w[i + 16] = scale[1] * fp4Level(byteOf(words, i) >> 4);
    }
  }
};

} // namespace ds4
