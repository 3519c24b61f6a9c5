// Q5_K: q4_k with a fifth bit: 32 bytes before the nibbles, bit s of byte j belongs to weight j of sub-block s.
#pragma once

#include "formats/block.h"
#include "formats/super_block.h"

namespace ds4 {

struct Q5_K : BlockFormat<Q5_K> {
  static constexpr int kBlock = 256, kBlockBytes = 176;

  template <int Align> DS4_DEVICE void decode(const void *base, U32 row, U32 run, float (&w)[kRun]) {
    U32 block = row + run / 8 * kBlockBytes, sub = run % 8;
    U32 words[8], fifth[8];
    float scale, minimum;
    subScale(base, block + 4, sub, scale, minimum);
    scale *= loadHalf(base, block);
    minimum *= loadHalf(base, block + 2);
    load<1>(fifth, base, block + 16);
    load<1>(words, base, block + 48 + sub / 2 * 32);
#pragma unroll
    for (int i = 0; i < kRun; ++i) {
      U32 q = (byteOf(words, i) >> sub % 2 * 4 & 15) | (byteOf(fifth, i) >> sub & 1) << 4;
      w[i] = fma(scale, static_cast<float>(q), -minimum); // the product is exact
    }
  }
};

} // namespace ds4
