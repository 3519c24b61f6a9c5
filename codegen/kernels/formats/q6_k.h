// Q6_K: 256 weights; 128 bytes of low nibbles, 64 bytes of upper bit pairs, int8 scale[16], one for 16 weights, half-precision
// d; w = d * scale * (q - 32). Sub-block s of a half (128 weights) has its nibbles in byte 32 * (s mod 2) + j, low for s < 2,
// and its upper bits at 2s of byte j.
#pragma once

#include "formats/block.h"
#include "formats/super_block.h"

namespace ds4 {

struct Q6_K : BlockFormat<Q6_K> {
  static constexpr int kBlock = 256, kBlockBytes = 210;

  template <int Align> DS4_DEVICE void decode(const void *base, U32 row, U32 run, float (&w)[kRun]) {
    U32 block = row + run / 8 * kBlockBytes, sub = run % 8;
    U32 half = sub / 4, part = sub % 4, low[8], high[8];
    float d = loadHalf(base, block + 208), scale[2];
    for (int i = 0; i < 2; ++i)
      scale[i] = d * static_cast<float>(static_cast<signed char>(loadByte(base, block + 192 + 2 * sub + i)));
    load<1>(low, base, block + half * 64 + part % 2 * 32);
    load<1>(high, base, block + 128 + half * 32);
#pragma unroll
    for (int i = 0; i < kRun; ++i) {
      int q = (byteOf(low, i) >> part / 2 * 4 & 15) | (byteOf(high, i) >> part * 2 & 3) << 4;
      w[i] = scale[i / 16] * static_cast<float>(q - 32);
    }
  }
};

} // namespace ds4
