// Q4_K: 256 weights in 8 sub-blocks; half-precision d and dmin, 12 bytes of scales (super_block.h), then 4 x 32 bytes: low
// nibbles are sub-block 2p, high nibbles 2p + 1. w = d * scale * q - dmin * minimum.
#pragma once

#include "formats/block.h"
#include "formats/super_block.h"

namespace ds4 {

struct Q4_K : BlockFormat<Q4_K> {
  static constexpr int kBlock = 256, kBlockBytes = 144;

  template <int Align> DS4_DEVICE void decode(const void *base, U32 row, U32 run, float (&w)[kRun]) {
    U32 block = row + run / 8 * kBlockBytes, sub = run % 8;
    U32 words[8];
    float scale, minimum;
    subScale(base, block + 4, sub, scale, minimum);
    scale *= loadHalf(base, block);
    minimum *= loadHalf(base, block + 2);
    load<1>(words, base, block + 16 + sub / 2 * 32);
#pragma unroll
    for (int i = 0; i < kRun; ++i)
      w[i] = fma(scale, static_cast<float>(byteOf(words, i) >> sub % 2 * 4 & 15), -minimum); // the product is exact
  }
};

} // namespace ds4
