// What the formats of 256-weight super-blocks share: run `run` of a row is sub-block run mod 8 of block run / 8.
#pragma once

#include "formats/block.h"

namespace ds4 {

// The scale and minimum of a sub-block of q4_k and q5_k, six bits each in 12 bytes at base + packed: bytes 0..3 hold scales
// 0..3, bytes 4..7 minima 0..3; bytes 8..11 the low nibbles of the others, whose upper bits are on top of bytes 0..7.
DS4_DEVICE void subScale(const void *base, U32 packed, U32 sub, float &scale, float &minimum) {
  U32 a = loadByte(base, packed + sub % 4), b = loadByte(base, packed + 4 + sub % 4), c = loadByte(base, packed + 8 + sub % 4);
  bool first = sub < 4;
  scale = static_cast<float>(first ? a & 63 : (c & 15) | a >> 6 << 4);
  minimum = static_cast<float>(first ? b & 63 : c >> 4 | b >> 6 << 4);
}

} // namespace ds4
