// Q3_K: 256 weights; 32 bytes of third bits (bit s of byte j: weight j of sub-block s), 64 bytes of 2-bit q as in q2_k, 16
// six-bit scales in 12 bytes, half-precision d; w = d * (scale - 32) * q, a third bit of 0 subtracts 4 from q. Scale s has its
// low nibble in byte s mod 8 (high nibble for s >= 8), its upper bits in byte 8 + s mod 4 at 2 * (s / 4).
#pragma once

#include "formats/block.h"
#include "formats/super_block.h"

namespace ds4 {

struct Q3_K : BlockFormat<Q3_K> {
  static constexpr int kBlock = 256, kBlockBytes = 110;

  template <int Align> DS4_DEVICE void decode(const void *base, U32 row, U32 run, float (&w)[kRun]) {
    U32 block = row + run / 8 * kBlockBytes, sub = run % 8;
    U32 low[8], third[8];
    float d = loadHalf(base, block + 108), scale[2];
    for (int i = 0; i < 2; ++i) {
      U32 s = 2 * sub + i;
      U32 bits = (loadByte(base, block + 96 + s % 8) >> s / 8 * 4 & 15) | (loadByte(base, block + 104 + s % 4) >> s / 4 * 2 & 3) << 4;
      scale[i] = d * static_cast<float>(static_cast<int>(bits) - 32);
    }
    load<1>(third, base, block);
    load<1>(low, base, block + 32 + sub / 4 * 32);
#pragma unroll
    for (int i = 0; i < kRun; ++i) {
      int q = (byteOf(low, i) >> sub % 4 * 2 & 3) | (byteOf(third, i) >> sub & 1) << 2;
      w[i] = scale[i / 16] * static_cast<float>(q - 4);
    }
  }
};

} // namespace ds4
