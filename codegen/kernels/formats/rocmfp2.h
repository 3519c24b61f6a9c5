// ROCmFP2: 32 weights; 8 bytes of 2-bit codes in a bit stream, two scale bytes (scale_byte.h). Three meanings:
//   rocmfp2         scales of weights 0..15 and 16..31; levels -1, 0, 1, 2
//   rocmfp2_s40     the same with levels -4, -1, 1, 4
//   rocmfp2_affine  w = code * scale - offset, one pair for all weights
#pragma once

#include "formats/block.h"
#include "formats/scale_byte.h"

namespace ds4 {

// Levels: four signed bytes, the first in the lowest.
template <U32 Levels> struct RocmFp2Of : BlockFormat<RocmFp2Of<Levels>> {
  static constexpr int kRun = 32, kBlock = 32, kBlockBytes = 10;

  template <int Align> DS4_DEVICE void decode(const void *base, U32 row, U32 run, float (&w)[kRun]) {
    U32 offset = row + run * kBlockBytes, words[2], scales = loadHalfBits(base, offset + 8);
    float scale[2] = {scaleOfByte(scales & 0xff), scaleOfByte(scales >> 8)};
    load<1>(words, base, offset);
#pragma unroll
    for (int i = 0; i < kRun; ++i)
      w[i] = scale[i / 16] * static_cast<float>(static_cast<signed char>(Levels >> streamCode<2>(words, i) * 8));
  }
};
using RocmFp2 = RocmFp2Of<0x020100ffu>;
using RocmFp2S40 = RocmFp2Of<0x0401fffcu>;

struct RocmFp2Affine : BlockFormat<RocmFp2Affine> {
  static constexpr int kBlock = 32, kBlockBytes = 10;

  template <int Align> DS4_DEVICE void decode(const void *base, U32 row, U32 run, float (&w)[kRun]) {
    U32 offset = row + run * kBlockBytes, words[2], scales = loadHalfBits(base, offset + 8);
    float scale = scaleOfByte(scales & 0xff), subtracted = scaleOfByte(scales >> 8);
    load<1>(words, base, offset);
#pragma unroll
    for (int i = 0; i < kRun; ++i)
      w[i] = fma(static_cast<float>(streamCode<2>(words, i)), scale, -subtracted); // the product is exact
  }
};

} // namespace ds4
