// IEEE binary16 and bfloat16, converted by their bits: the same result on every host, with or without F16C.
//
// Narrowing rounds to nearest, ties to even, and overflows to infinity; widening is exact. A NaN stays a NaN, made
// quiet, with its sign and the top of its payload. Denormal halves are kept in both directions.
#pragma once

#include <bit>
#include <cstdint>

namespace ds4 {

constexpr float halfToFloat(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000) << 16;
  const uint32_t exponent = (half >> 10) & 0x1f;
  const uint32_t mantissa = half & 0x3ff;
  if (exponent == 0) { // zero or denormal: mantissa * 2^-24, exact in binary32
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return std::bit_cast<float>(std::bit_cast<uint32_t>(magnitude) | sign);
  }
  if (exponent == 0x1f)
    return std::bit_cast<float>(sign | 0x7f800000u | (mantissa << 13) | (mantissa ? 0x400000u : 0u));
  return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
}

constexpr uint16_t floatToHalf(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const auto sign = static_cast<uint16_t>((bits >> 16) & 0x8000);
  const uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u)
    return static_cast<uint16_t>(sign | 0x7e00 | ((magnitude >> 13) & 0x3ff));
  if (magnitude >= 0x477ff000u) // 65520 and above, the tie with infinity included
    return static_cast<uint16_t>(sign | 0x7c00);
  const uint32_t exponent = magnitude >> 23;
  if (exponent < 102) // below 2^-25: rounds to zero (2^-25 itself ties to even, zero, below)
    return sign;
  // A normal half drops 13 bits; below 2^-14 one more for each power of two. A carry runs into the exponent, as it should.
  const uint32_t shift = exponent >= 113 ? 13 : 126 - exponent;
  const uint32_t full = exponent >= 113 ? magnitude - (112u << 23) : (magnitude & 0x7fffffu) | 0x800000u;
  const uint32_t kept = full >> shift;
  const uint32_t dropped = full & ((1u << shift) - 1);
  const uint32_t tie = 1u << (shift - 1);
  return static_cast<uint16_t>(sign | (kept + (dropped > tie || (dropped == tie && (kept & 1)))));
}

constexpr float bfloat16ToFloat(uint16_t value) { return std::bit_cast<float>(static_cast<uint32_t>(value) << 16); }

constexpr uint16_t floatToBfloat16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u)
    return static_cast<uint16_t>((bits >> 16) | 0x40);
  return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1)) >> 16);
}

} // namespace ds4
