// ROCmFP8: 32 weights; signed bytes, one scale byte (scale_byte.h).
#pragma once

#include "formats/block.h"
#include "formats/scale_byte.h"

namespace ds4 {

struct RocmFp8 : BlockFormat<RocmFp8> {
  static constexpr int kBlock = 32, kBlockBytes = 33;

  template <int Align> DS4_DEVICE void decode(const void *base, U32 row, U32 run, float (&w)[kRun]) {
    U32 offset = row + run * kBlockBytes, words[8];
    float scale = scaleOfByte(loadByte(base, offset + 32));
    load<1>(words, base, offset);
#pragma unroll
    for (int i = 0; i < kRun; ++i)
      w[i] = scale * static_cast<float>(signedByteOf(words, i));
  }
};

} // namespace ds4
