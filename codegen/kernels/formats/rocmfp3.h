// ROCmFP3: 32 weights; 12 bytes of 3-bit codes in a bit stream, two scale bytes (scale_byte.h), for weights 0..15 and
// 16..31. A code's low two bits are the magnitude 0, 1, 2 or 4, its third bit the sign.
#pragma once

#include "formats/block.h"
#include "formats/scale_byte.h"

namespace ds4 {

struct RocmFp3 : BlockFormat<RocmFp3> {
  static constexpr int kBlock = 32, kBlockBytes = 14;

  DS4_DEVICE int level(int code) {
    int magnitude = 4 >> (3 - (code & 3));
    return code & 4 ? -magnitude : magnitude;
  }

  template <int Align> DS4_DEVICE void decode(const void *base, U32 row, U32 run, float (&w)[kRun]) {
    U32 offset = row + run * kBlockBytes, words[3], scales = loadHalfBits(base, offset + 12);
    float scale[2] = {scaleOfByte(scales & 0xff), scaleOfByte(scales >> 8)};
    load<1>(words, base, offset);
#pragma unroll
    for (int i = 0; i < kRun; ++i)
      w[i] = scale[i / 16] * static_cast<float>(level(streamCode<3>(words, i)));
  }
};

} // namespace ds4
