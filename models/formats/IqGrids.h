// The grids of iq2_xxs and iq3_xxs: the 256 points that an index byte names, and the rule of their signs.
//
// The points are facts of the formats, as ggml defines them. A point of iq2_xxs is 8 magnitudes, packed as 2-bit codes
// (element j at bits 2j) into kIq2Magnitudes; a point of iq3_xxs is 4 magnitudes, packed as nibbles into kIq3Magnitudes.
// Both lists are in ascending order and the codes of a point have an even sum.
#pragma once

#include <bit>
#include <cstdint>

namespace ds4 {

inline constexpr float kIq2Magnitudes[3] = {8, 25, 43};
inline constexpr float kIq3Magnitudes[8] = {4, 12, 20, 28, 36, 44, 52, 62};
extern const uint16_t kIq2Grid[256];
extern const uint16_t kIq3Grid[256];

// Signs of 8 weights from 7 bits: bit j is the sign of weight j, and the eighth makes their number even.
inline bool isNegative(uint32_t sevenBits, int j) {
  const uint32_t signs = sevenBits & 127;
  return j < 7 ? signs >> j & 1 : std::popcount(signs) & 1;
}

} // namespace ds4
