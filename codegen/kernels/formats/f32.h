// Single precision: weights and elements of states.
#pragma once

#include "wave.h"

namespace ds4 {

struct F32 {
  static constexpr int kElementBytes = 4;
  static constexpr int kRun = 4; // weights that a lane reads at once
  static constexpr int kBlock = 1, kBlockBytes = kElementBytes;

  DS4_DEVICE float at(const void *base, U32 index) { return static_cast<const float *>(base)[index]; }

  template <int Align> DS4_DEVICE void decode(const void *base, U32 row, U32 run, float (&w)[kRun]) {
    load<Align>(w, base, row + run * (kRun * kElementBytes));
  }

  // Sum of w * x over one run.
  template <int Align> DS4_DEVICE float dot(const void *base, U32 row, U32 run, const float (&x)[kRun]) {
    float w[kRun];
    decode<Align>(base, row, run, w);
    float sum = w[0] * x[0];
#pragma unroll
    for (int i = 1; i < kRun; ++i)
      sum = fma(w[i], x[i], sum);
    return sum;
  }

  // As an element of a state: Count values from and to memory, in single precision in registers.
  template <int Align, int Count> DS4_DEVICE void read(float (&out)[Count], const void *base, U32 offset) {
    load<Align>(out, base, offset);
  }
  template <int Align, int Count> DS4_DEVICE void write(void *base, U32 offset, const float (&in)[Count]) {
    store<Align>(base, offset, in);
  }
  // Element i of 16 bytes.
  DS4_DEVICE float element(const U32 (&words)[4], int i) { return floatOf(words[i]); }
  DS4_DEVICE float round(float x) { return x; }
};

} // namespace ds4
