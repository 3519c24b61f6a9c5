// quantize_activation: x [T, n] -> y: each block of values rounded to a low-precision format and back. A thread takes
// four values, Block / 4 neighbouring lanes share a scale.
//
// fp8 (e4m3) and fp4 (e2m1): the scale is the least power of two that brings the block's largest magnitude into range;
// all steps are exact. int8: scale = largest / 127; a block of subnormal scale becomes zero.
#pragma once

#include "step.h"
#include "wave.h"

namespace ds4 {

enum class Scheme { Fp8, Fp4, Int8 };

// Rounds to MantissaBits stored bits, ties to even, with subnormals below 2^MinExponent; |x| is in the format's range.
template <int MantissaBits, int MinExponent> DS4_DEVICE float roundToFormat(float x) {
  int exponent = larger(static_cast<int>(bitsOf(x) >> 23 & 0xff) - 127, MinExponent) - MantissaBits;
  float step = floatOf(static_cast<U32>(127 + exponent) << 23), inverse = floatOf(static_cast<U32>(127 - exponent) << 23);
  return rint(x * inverse) * step;
}

template <Scheme scheme> DS4_DEVICE void roundTrip(float (&values)[4], float largest) {
  if constexpr (scheme == Scheme::Int8) {
    float scale = divide(largest, 127.0f);
#pragma unroll
    for (float &value : values)
      value = scale >= 0x1p-126f ? rint(divide(value, scale)) * scale : value * 0;
  } else {
    constexpr bool kFp8 = scheme == Scheme::Fp8;
    constexpr float kGreatest = kFp8 ? 448.0f : 6.0f, kFloor = kFp8 ? 1e-4f : 6 * 0x1p-126f;
    float ratio = larger(largest, kFloor) * (1 / kGreatest);
    U32 scaleBits = (bitsOf(ratio) + 0x7fffff) & 0xff800000u;
    float scale = floatOf(scaleBits), inverse = floatOf((254u << 23) - scaleBits);
#pragma unroll
    for (float &value : values) {
      float x = value * inverse;
      x = x > kGreatest ? kGreatest : x < -kGreatest ? -kGreatest : x;
      value = (kFp8 ? roundToFormat<3, -6>(x) : roundToFormat<1, 0>(x)) * scale;
    }
  }
}

template <Scheme scheme, int Width, int Block, int Threads> DS4_DEVICE void quantizeActivation(const float *x, float *y) {
  static_assert(Width % Block == 0 && Block >= 4 && Block <= 128 && (Block & (Block - 1)) == 0);
  int first = tokenIndex() * Width, element = (blockX() * Threads + threadIndex()) * 4;
  if (element >= Width)
    return;
  float values[4], largest = 0;
  load<16>(values, x + first, element * 4);
#pragma unroll
  for (float value : values)
    largest = larger(largest, absolute(value));
  roundTrip<scheme>(values, maxLanes<Block / 4>(largest));
  store<16>(y + first, element * 4, values);
}

} // namespace ds4
