// ROCmFP6: 32 weights; 24 bytes of 6-bit codes in a bit stream, two scale bytes (scale_byte.h), for weights 0..15 and
// 16..31. A code's low five bits are the magnitude, its sixth bit the sign.
#pragma once

#include "formats/block.h"
#include "formats/scale_byte.h"

namespace ds4 {

struct RocmFp6 : BlockFormat<RocmFp6> {
  static constexpr int kBlock = 32, kBlockBytes = 26;

  DS4_DEVICE int level(int code) { return code & 32 ? -(code & 31) : code; }

  template <int Align> DS4_DEVICE void decode(const void *base, U32 row, U32 run, float (&w)[kRun]) {
    U32 offset = row + run * kBlockBytes, words[6], scales = loadHalfBits(base, offset + 24);
    float scale[2] = {scaleOfByte(scales & 0xff), scaleOfByte(scales >> 8)};
    load<1>(words, base, offset);
#pragma unroll
    for (int i = 0; i < kRun; ++i)
      w[i] = scale[i / 16] * static_cast<float>(level(streamCode<6>(words, i)));
  }
};

} // namespace ds4
