// bfloat16: the upper half of a single-precision number.
#pragma once

#include "wave.h"

namespace ds4 {

struct BF16 {
  static constexpr int kRun = 8; // weights that a lane reads at once
  static constexpr int kBlock = 1, kBlockBytes = 2;

  DS4_DEVICE float at(const void *base, U32 index) { return floatOf(static_cast<U32>(static_cast<const U16 *>(base)[index]) << 16); }

  template <int Align> DS4_DEVICE void decode(const void *base, U32 row, U32 run, float (&w)[kRun]) {
    U32 pairs[kRun / 2];
    load<Align>(pairs, base, row + run * (kRun * kBlockBytes));
#pragma unroll
    for (int i = 0; i < kRun / 2; ++i) {
      w[2 * i] = floatOf(pairs[i] << 16);
      w[2 * i + 1] = floatOf(pairs[i] & 0xffff0000u);
    }
  }

  // Sum of w * x over one run.
  template <int Align> DS4_DEVICE float dot(const void *base, U32 row, U32 run, const float (&x)[kRun]) {
    float w[kRun], sum = 0;
    decode<Align>(base, row, run, w);
#pragma unroll
    for (int i = 0; i < kRun; ++i)
      sum = fma(w[i], x[i], sum);
    return sum;
  }
};

} // namespace ds4
