// MXFP4: 32 weights; a power-of-two scale byte e, 16 bytes of E2M1 codes, low nibble code[i], high nibble code[i + 16];
// w = 2^(e - 127) * level. Magnitudes 0, 0.5, 1, 1.5, 2, 3, 4, 6; bit 3 of a code is the sign, and zero has one too.
#pragma once

#include "formats/block.h"

namespace ds4 {

struct MXFP4 : BlockFormat<MXFP4> {
  static constexpr int kBlock = 32, kBlockBytes = 17;

  DS4_DEVICE float level(U32 code) {
    U32 halves = permuteBytes(0x0c080604u, 0x03020100u, code & 7) & 0xff; // twice the magnitude
    return floatOf(bitsOf(0.5f * static_cast<float>(halves)) | (code & 8) << 28);
  }

  template <int Align> DS4_DEVICE void decode(const void *base, U32 row, U32 run, float (&w)[kRun]) {
    U32 offset = row + run * kBlockBytes, words[4];
    U32 exponent = loadByte(base, offset);
    float scale = floatOf(exponent ? exponent << 23 : 0x00400000u);
    load<1>(words, base, offset + 1);
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      w[i] = scale * level(byteOf(words, i) & 15);
      w[i + 16] = scale * level(byteOf(words, i) >> 4);
    }
  }
};

} // namespace ds4
