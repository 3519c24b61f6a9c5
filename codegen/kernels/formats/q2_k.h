// Q2_K: 256 weights; 16 bytes, one for 16 weights, low nibble scale, high nibble minimum; 64 bytes of 2-bit q; half-precision
// d and dmin; w = d * scale * q - dmin * minimum. Sub-block s of a half (128 weights, 32 bytes) is at bits 2s.
#pragma once

#include "formats/block.h"
#include "formats/super_block.h"

namespace ds4 {

struct Q2_K : BlockFormat<Q2_K> {
  static constexpr int kBlock = 256, kBlockBytes = 84;

  template <int Align> DS4_DEVICE void decode(const void *base, U32 row, U32 run, float (&w)[kRun]) {
    U32 block = row + run / 8 * kBlockBytes, sub = run % 8;
    U32 words[8];
    float d = loadHalf(base, block + 80), dmin = loadHalf(base, block + 82), scale[2], minimum[2];
    for (int i = 0; i < 2; ++i) {
      U32 packed = loadByte(base, block + 2 * sub + i);
      scale[i] = d * static_cast<float>(packed & 15);
      minimum[i] = dmin * static_cast<float>(packed >> 4);
    }
    load<1>(words, base, block + 16 + sub / 4 * 32);
#pragma unroll
    for (int i = 0; i < kRun; ++i) // the product is exact
      w[i] = fma(scale[i / 16], static_cast<float>(byteOf(words, i) >> sub % 4 * 2 & 3), -minimum[i / 16]);
  }
};

} // namespace ds4
