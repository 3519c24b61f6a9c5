// Q8_0: blocks of 32 weights, a half-precision scale d and 32 signed bytes; w = d * byte. 34 bytes, so blocks are
// aligned to 2 bytes only.
#pragma once

#include "wave.h"

namespace ds4 {

struct Q8_0 {
  static constexpr int kRun = 32; // weights that a lane reads at once: a block
  static constexpr int kBlock = 32, kBlockBytes = 34;

  DS4_DEVICE float at(const void *base, U32 index) {
    const Byte *block = static_cast<const Byte *>(base) + static_cast<U64>(index / kBlock) * kBlockBytes;
    signed char byte = static_cast<signed char>(block[2 + index % kBlock]);
    return halfToFloat(*reinterpret_cast<const U16 *>(block)) * static_cast<float>(byte);
  }

  template <int Align> DS4_DEVICE void decode(const void *base, U32 row, U32 run, float (&w)[kRun]) {
    U16 scale[1];
    U32 words[kRun / 4];
    load<2>(scale, base, row + run * kBlockBytes);
    load<2>(words, base, row + run * kBlockBytes + 2);
#pragma unroll
    for (int i = 0; i < kRun; ++i)
      w[i] = halfToFloat(scale[0]) * static_cast<float>(static_cast<signed char>(words[i / 4] >> i % 4 * 8));
  }

  // Sum of w * x over one block: bytes times x in single precision, in two chains, then the scale.
  template <int Align> DS4_DEVICE float dot(const void *base, U32 row, U32 run, const float (&x)[kRun]) {
    U32 offset = row + run * kBlockBytes;
    U16 scale[1];
    U32 words[kRun / 4];
    load<2>(scale, base, offset);
    load<2>(words, base, offset + 2);
    float sum[2] = {};
#pragma unroll
    for (int i = 0; i < kRun; ++i)
      sum[i % 2] = fma(static_cast<float>(static_cast<signed char>(words[i / 4] >> i % 4 * 8)), x[i], sum[i % 2]);
    return halfToFloat(scale[0]) * (sum[0] + sum[1]);
  }
};

} // namespace ds4
