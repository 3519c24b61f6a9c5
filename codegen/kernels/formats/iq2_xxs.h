// IQ2_XXS: 256 weights in 8 sub-blocks; half-precision d, then 8 bytes a sub-block: four indices into the grid of 8 magnitudes
// each, and a word of four 7-bit sign sets under a 4-bit scale s. w = d * (s + 0.5) / 4 * magnitude, signed.
#pragma once

#include "formats/block.h"
#include "formats/iq_grids.h"
#include "formats/signs.h"
#include "formats/super_block.h"

namespace ds4 {

struct IQ2_XXS : BlockFormat<IQ2_XXS> {
  static constexpr int kBlock = 256, kBlockBytes = 66;

  template <int Align> DS4_DEVICE void decode(const void *base, U32 row, U32 run, float (&w)[kRun]) {
    U32 block = row + run / 8 * kBlockBytes, sub = run % 8;
    U32 words[2];
    load<1>(words, base, block + 2 + sub * 8);
    float unit = loadHalf(base, block) * (static_cast<float>(words[1] >> 28) + 0.5f) * 0.25f;
#pragma unroll
    for (int group = 0; group < 4; ++group) {
      U32 point = kIq2Grid[byteOf(words, group)], signs = evenSigns(words[1] >> 7 * group);
#pragma unroll
      for (int j = 0; j < 8; ++j) {
        U32 magnitude = 0x2b1908u >> (point >> 2 * j & 3) * 8 & 0xff; // 8, 25, 43
        w[8 * group + j] = withSign(unit * static_cast<float>(magnitude), signs >> j);
      }
    }
  }
};

} // namespace ds4
