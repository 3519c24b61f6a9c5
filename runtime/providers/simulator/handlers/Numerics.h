// Numeric rules that several families share: NaN-aware minimum and maximum, saturating conversions, class bits.
#pragma once

#include <limits>

#include "runtime/providers/simulator/handlers/Lanes.h"

namespace ds4::sim::DS4_SIM_ISA {

// IEEE maximumNumber and minimumNumber: a NaN loses against a number, +0 is above -0.
template <class T> inline T maxNumber(T a, T b) {
  return a != a ? b : b != b ? a : (a > b || (a == b && !__builtin_signbit(float(a)))) ? a : b;
}
template <class T> inline T minNumber(T a, T b) {
  return a != a ? b : b != b ? a : (a < b || (a == b && __builtin_signbit(float(a)))) ? a : b;
}

// The instruction set's median: with a NaN among the three it is their minimum.
template <class T> inline T medianNumber(T a, T b, T c) {
  const T minimum = minNumber(minNumber(a, b), c);
  return a != a || b != b || c != c ? minimum : maxNumber(minNumber(a, b), minNumber(maxNumber(a, b), c));
}

// To an integer type by truncation; NaN gives 0, values beyond the range its nearest end.
template <class Int> inline Int saturate(double x) {
  constexpr double low = double(std::numeric_limits<Int>::min()), high = double(std::numeric_limits<Int>::max());
  return x != x ? Int(0) : x <= low ? std::numeric_limits<Int>::min() : x >= high ? std::numeric_limits<Int>::max() : Int(x);
}

// v_cmp_class bits: 0 signalling NaN, 1 quiet NaN, 2 -inf, 3 -normal, 4 -denormal, 5 -0, 6 +0, 7 +denormal, 8 +normal, 9 +inf.
template <class Bits> inline uint32_t classBit(Bits x, int exponentBits, int mantissaBits) {
  const Bits exponent = (x >> mantissaBits) & ((Bits(1) << exponentBits) - 1), mantissa = x & ((Bits(1) << mantissaBits) - 1);
  const bool negative = x >> (exponentBits + mantissaBits);
  if (exponent == (Bits(1) << exponentBits) - 1)
    return mantissa ? (mantissa >> (mantissaBits - 1) ? 2 : 1) : negative ? 4 : 0x200;
  if (exponent)
    return negative ? 8 : 0x100;
  return mantissa ? (negative ? 16 : 0x80) : negative ? 32 : 64;
}

// bfloat16 occupies the upper half of a float.
inline float fromBfloat(uint16_t x) { return as<float>(uint32_t(x) << 16); }
inline uint16_t toBfloat(float x) { // to nearest even
  const uint32_t bits = as<uint32_t>(x);
  return uint16_t(x != x ? bits >> 16 | 0x40 : (bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}
inline Half halfOf(uint32_t word, bool high) { return as<Half>(uint16_t(high ? word >> 16 : word)); }

// a * b + c with one rounding. The sum is exact in f64 up to bits that cannot decide a tie; rounding it to odd keeps that
// true on the way through f32.
inline Half fusedHalf(Half a, Half b, Half c) {
  const double exact = double(float(a)) * double(float(b)) + double(float(c));
  const float nearest = float(exact);
  uint32_t bits = as<uint32_t>(nearest);
  bits -= std::fabs(double(nearest)) > std::fabs(exact);
  bits |= double(nearest) != exact;
  return Half(as<float>(bits));
}

// Toward zero: the nearest half, less one step where that lies above in magnitude. Overflow stays at the largest number.
inline uint32_t halfTowardZero(float x) {
  const Half nearest = Half(x);
  const bool above = __builtin_fabsf(float(nearest)) > __builtin_fabsf(x) && __builtin_fabsf(x) < __builtin_inff();
  return uint32_t(as<uint16_t>(nearest)) - above;
}

} // namespace ds4::sim::DS4_SIM_ISA
