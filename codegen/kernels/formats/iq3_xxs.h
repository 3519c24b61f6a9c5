// IQ3_XXS: 256 weights in 8 sub-blocks; half-precision d, 64 indices into the grid of 4 magnitudes each, then a word a
// sub-block: four 7-bit sign sets (8 weights each) under a 4-bit scale s. w = d * (s + 0.5) / 2 * magnitude, signed.
#pragma once

#include "formats/block.h"
#include "formats/iq_grids.h"
#include "formats/signs.h"
#include "formats/super_block.h"

namespace ds4 {

struct IQ3_XXS : BlockFormat<IQ3_XXS> {
  static constexpr int kBlock = 256, kBlockBytes = 98;

  template <int Align> DS4_DEVICE void decode(const void *base, U32 row, U32 run, float (&w)[kRun]) {
    U32 block = row + run / 8 * kBlockBytes, sub = run % 8;
    U32 indices[2], words[1];
    load<1>(indices, base, block + 2 + sub * 8);
    load<1>(words, base, block + 66 + sub * 4);
    float unit = loadHalf(base, block) * (static_cast<float>(words[0] >> 28) + 0.5f) * 0.5f;
#pragma unroll
    for (int quad = 0; quad < 8; ++quad) {
      U32 point = kIq3Grid[byteOf(indices, quad)], signs = evenSigns(words[0] >> quad / 2 * 7) >> quad % 2 * 4;
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        U32 magnitude = permuteBytes(0x3e342c24u, 0x1c140c04u, point >> 4 * j & 7) & 0xff; // 4, 12, 20, 28, 36, 44, 52, 62
        w[4 * quad + j] = withSign(unit * static_cast<float>(magnitude), signs >> j);
      }
    }
  }
};

} // namespace ds4
