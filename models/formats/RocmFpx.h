// What the ROCmFPX formats share: scale bytes, bit streams, and the reference quantizer's search. Private to
// models/formats/.
//
// A scale byte e is an unsigned E4M3 number of half the usual value: with exponent x = e >> 3 and mantissa m = e & 7,
// m * 2^-10 for x = 0 and (8 + m) * 2^(x - 11) otherwise, so 64 means 1 and 126, the greatest, 224. Bytes 0x7F and above
// mean nothing: they decode as scale 0 and are refused at load. The payload comes first in every block, the scales last.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "models/formats/Blocks.h"

namespace ds4 {

inline constexpr int kGreatestScaleByte = 126;

inline float scaleOfByte(int byte) {
  const int exponent = byte >> 3, mantissa = byte & 7;
  if (byte > kGreatestScaleByte)
    return 0.0f;
  const int significand = exponent == 0 ? mantissa : 8 + mantissa;
  return std::ldexp(static_cast<float>(significand), std::max(exponent, 1) - 11);
}

// Whether the scale bytes from `first` to the end of a block have a meaning.
template <int first, int bytes> bool hasValidScales(const std::byte *block) {
  return std::all_of(block + first, block + bytes, [](std::byte e) { return std::to_integer<int>(e) <= kGreatestScaleByte; });
}

// Code i of a little-endian bit stream, lowest bit first. May touch the byte after the code: a block's scales follow.
inline int streamCode(const std::byte *stream, int i, int bits) {
  return loadAt<uint16_t>(stream, i * bits / 8) >> (i * bits % 8) & ((1 << bits) - 1);
}

inline void addStreamCode(std::byte *stream, int i, int bits, int code) { // into zeroed bytes
  const auto word = static_cast<uint16_t>(loadAt<uint16_t>(stream, i * bits / 8) | code << (i * bits % 8));
  storeAt(stream, i * bits / 8, word);
}

// The index of the magnitude nearest to |scaled|, ties to the smaller. Ascending magnitudes, from 0.
template <size_t n> int nearestMagnitude(const std::array<int, n> &magnitudes, float scaled) {
  const float magnitude = std::fabs(scaled);
  int index = 0;
  while (index + 1 < static_cast<int>(n) && magnitude > static_cast<float>(magnitudes[index] + magnitudes[index + 1]) * 0.5f)
    ++index;
  return index;
}

// The byte in 1..126 whose scale is nearest to `scale`, ties to the lower byte.
int nearestScaleByte(float scale);

// How a format rounds: the code of a weight already divided by the scale, a code's level, the greatest level.
struct LevelRule {
  int (*code)(float scaled);
  int (*level)(int code);
  float greatest;
  int zero = 0;                   // the code of level 0
  bool searchesUnweighted = true; // false: without importance the nearest scale is taken as it is
};

// Weights of the squared errors: importance * sqrt(mean square of the row + x^2); empty for no importance. An importance
// that is not finite or not positive counts as 0.
std::vector<float> errorWeights(std::span<const float> row, std::span<const float> importance);

// Quantizes the weights of one scale (16 or 32): fills `codes`, returns the scale byte that minimises the sum of squared
// errors in binary32, the lower byte of equals; 0 when no weight is finite and non-zero. `errorWeights` may be empty.
int quantizeGroup(const LevelRule &rule, std::span<const float> weights, std::span<const float> errorWeights, std::span<int> codes);

// The loop of every encodeRow here: quantizes each block of 32 with one scale per `group` weights. pack(codes, block) writes
// the payload into zeroed bytes; the scales go to the block's end.
template <int group, int bytes, typename Pack>
void encodeGroups(const LevelRule &rule, std::span<const float> row, std::span<const float> importance, std::byte *out, Pack pack) {
  const std::vector<float> errors = errorWeights(row, importance);
  for (size_t i = 0; i < row.size(); i += 32, out += bytes) {
    std::array<int, 32> codes;
    std::array<int, 32 / group> scales;
    for (int g = 0; g < 32 / group; ++g) {
      const size_t first = i + g * group;
      const auto ofGroup = errors.empty() ? std::span<const float>() : std::span(errors).subspan(first, group);
      scales[g] = quantizeGroup(rule, row.subspan(first, group), ofGroup, std::span(codes).subspan(g * group, group));
    }
    std::fill_n(out, bytes, std::byte{0});
    pack(codes, out);
    for (int g = 0; g < 32 / group; ++g)
      out[bytes - 32 / group + g] = static_cast<std::byte>(scales[g]);
  }
}

} // namespace ds4
