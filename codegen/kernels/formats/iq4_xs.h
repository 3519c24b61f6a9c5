// IQ4_XS: 256 weights in 8 sub-blocks; half-precision d, 16 bits of upper scale bits, 4 bytes of low scale nibbles, then 16
// bytes a sub-block, low nibble code[i], high nibble code[i + 16]. w = d * (scale - 32) * level, 16 uneven levels.
#pragma once

#include "formats/block.h"
#include "formats/super_block.h"

namespace ds4 {

struct IQ4_XS : BlockFormat<IQ4_XS> {
  static constexpr int kBlock = 256, kBlockBytes = 136;

  // -127 -104 -83 -65 -49 -35 -22 -10, 1 13 25 38 53 69 89 113
  DS4_DEVICE float level(U32 code) {
    U32 negative = permuteBytes(0xf6eaddcfu, 0xbfad9881u, code & 7), positive = permuteBytes(0x71594535u, 0x26190d01u, code & 7);
    return static_cast<float>(static_cast<signed char>(code & 8 ? positive : negative));
  }

  template <int Align> DS4_DEVICE void decode(const void *base, U32 row, U32 run, float (&w)[kRun]) {
    U32 block = row + run / 8 * kBlockBytes, sub = run % 8;
    U32 words[4], upper = loadHalfBits(base, block + 2);
    U32 scale = (loadByte(base, block + 4 + sub / 2) >> sub % 2 * 4 & 15) | (upper >> sub * 2 & 3) << 4;
    float unit = loadHalf(base, block) * static_cast<float>(static_cast<int>(scale) - 32);
    load<1>(words, base, block + 8 + sub * 16);
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      w[i] = unit * level(byteOf(words, i) & 15);
      w[i + 16] = unit * level(byteOf(words, i) >> 4);
    }
  }
};

} // namespace ds4
