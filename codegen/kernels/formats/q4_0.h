// Q4_0: 32 weights; a half-precision scale d, 16 bytes, low nibble q[i], high nibble q[i + 16]; w = d * (q - 8).
#pragma once

#include "formats/block.h"

namespace ds4 {

struct Q4_0 : BlockFormat<Q4_0> {
  static constexpr int kBlock = 32, kBlockBytes = 18;

  template <int Align> DS4_DEVICE void decode(const void *base, U32 row, U32 run, float (&w)[kRun]) {
    U32 offset = row + run * kBlockBytes, words[4];
    float d = loadHalf(base, offset);
    load<1>(words, base, offset + 2);
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      w[i] = d * static_cast<float>(static_cast<int>(byteOf(words, i) & 15) - 8);
      w[i + 16] = d * static_cast<float>(static_cast<int>(byteOf(words, i) >> 4) - 8);
    }
  }
};

} // namespace ds4
