// Half precision: weights and elements of states. Sums stay in single precision.
#pragma once

#include "wave.h"

namespace ds4 {

struct F16 {
  static constexpr int kElementBytes = 2;
  static constexpr int kRun = 8; // weights that a lane reads at once
  static constexpr int kBlock = 1, kBlockBytes = kElementBytes;

  DS4_DEVICE float at(const void *base, U32 index) { return halfToFloat(static_cast<const U16 *>(base)[index]); }

  template <int Align> DS4_DEVICE void decode(const void *base, U32 row, U32 run, float (&w)[kRun]) {
    read<Align>(w, base, row + run * (kRun * kElementBytes));
  }

  // Sum of w * x over one run.
  template <int Align> DS4_DEVICE float dot(const void *base, U32 row, U32 run, const float (&x)[kRun]) {
    U32 pairs[kRun / 2];
    load<Align>(pairs, base, row + run * (kRun * kElementBytes));
    float sum = 0;
#pragma unroll
    for (int i = 0; i < kRun / 2; ++i)
      sum = fma(highHalf(pairs[i]), x[2 * i + 1], fma(lowHalf(pairs[i]), x[2 * i], sum));
    return sum;
  }

  // As an element of a state: Count values, an even number, from and to memory, in single precision in registers.
  template <int Align, int Count> DS4_DEVICE void read(float (&out)[Count], const void *base, U32 offset) {
    U32 pairs[Count / 2];
    load<Align>(pairs, base, offset);
#pragma unroll
    for (int i = 0; i < Count / 2; ++i) {
      out[2 * i] = lowHalf(pairs[i]);
      out[2 * i + 1] = highHalf(pairs[i]);
    }
  }
  template <int Align, int Count> DS4_DEVICE void write(void *base, U32 offset, const float (&in)[Count]) {
    U32 pairs[Count / 2];
#pragma unroll
    for (int i = 0; i < Count / 2; ++i)
      pairs[i] = floatToHalf(in[2 * i]) | static_cast<U32>(floatToHalf(in[2 * i + 1])) << 16;
    store<Align>(base, offset, pairs);
  }
  // Element i of 16 bytes.
  DS4_DEVICE float element(const U32 (&words)[4], int i) { return i % 2 ? highHalf(words[i / 2]) : lowHalf(words[i / 2]); }
  DS4_DEVICE float round(float x) { return halfToFloat(floatToHalf(x)); }
};

} // namespace ds4
