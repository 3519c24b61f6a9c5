// What the ROCmFPX formats share: scale bytes, bit streams and rounding rules. Private to models/formats/.
//
// A scale byte e is an unsigned E4M3 number of half the usual value: with exponent x = e >> 3 and mantissa m = e & 7,
// m * 2^-10 for x = 0 and (8 + m) * 2^(x - 11) otherwise, so 64 means 1 and 126, the greatest, 224. Bytes 0x7F and above
// mean nothing: they decode as scale 0 and are refused at load. The payload comes first in every block, the scales last.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "models/formats/Blocks.h"

namespace ds4 {

inline constexpr int kGreatestScaleByte = 126;

inline constexpr std::array<float, 256> kScaleOfByte = [] {
  std::array<float, 256> scales{};
  for (int byte = 0; byte <= kGreatestScaleByte; ++byte) {
    const int exponent = byte >> 3, significand = exponent ? 8 + (byte & 7) : byte;
    scales[byte] = static_cast<float>(significand << std::max(exponent - 1, 0)) * 0x1p-10f;
  }
  return scales;
}();

inline float scaleOfByte(int byte) { return kScaleOfByte[byte]; }

// Makes a Format::firstInvalid for scale bytes from `first` to the end of a block. Whole runs are looked at without branches,
// so that checking a model while it loads takes a fraction of the reading.
template <int first, int bytes> size_t firstInvalidScale(const std::byte *blocks, size_t count) {
  constexpr size_t kRun = 64;
  const auto isInvalid = [blocks](size_t from, size_t to) {
    int seen = 0; // bit 7: of a byte above 126, or of one more than 127
    for (size_t i = from; i < to; ++i)
      for (int at = first; at < bytes; ++at)
        seen |= byteAt(blocks, i * bytes + at) | (byteAt(blocks, i * bytes + at) + 1);
    return (seen & 128) != 0;
  };
  static_assert(kGreatestScaleByte == 126);
  size_t from = 0;
  while (from < count && !isInvalid(from, std::min(from + kRun, count)))
    from += kRun;
  while (from < count && !isInvalid(from, from + 1))
    ++from;
  return std::min(from, count);
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
  for (size_t i = 0; i + 1 < n; ++i) // counting the midpoints below, without branches, is several times faster than a search
    index += magnitude > static_cast<float>(magnitudes[i] + magnitudes[i + 1]) * 0.5f;
  return index;
}

// How a format rounds: the code of a weight already divided by the scale, a code's level, the greatest level.
struct LevelRule {
  int (*code)(float scaled);
  int (*level)(int code);
  float greatest;
  int zero = 0;                   // the code of level 0
  bool searchesUnweighted = true; // false: without importance the nearest scale is taken as it is
};

} // namespace ds4
