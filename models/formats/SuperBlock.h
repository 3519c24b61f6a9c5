// Scales of the super-block formats q4_k and q5_k: eight 6-bit scales and eight 6-bit minima in 12 bytes.
//
// Bytes 0..3 hold scales 0..3 and bytes 4..7 minima 0..3 in their low six bits; bytes 8..11 hold the low nibbles of scale
// (low) and minimum (high) 4..7, whose upper two bits are the top bits of bytes 0..3 and 4..7.
//
// A weight is d * scale * q - dmin * minimum. With f16 d and dmin both products are exact in binary32, so there is one
// rounding, fused or not.
#pragma once

#include "models/formats/Blocks.h"

namespace ds4 {

struct SubScale {
  float scale, minimum;
};

inline SubScale subScaleOf(const std::byte *packed, int sub) {
  if (sub < 4)
    return {static_cast<float>(byteAt(packed, sub) & 63), static_cast<float>(byteAt(packed, sub + 4) & 63)};
  const int low = byteAt(packed, sub + 4);
  return {static_cast<float>((low & 15) | byteAt(packed, sub - 4) >> 6 << 4),
          static_cast<float>(low >> 4 | byteAt(packed, sub) >> 6 << 4)};
}

} // namespace ds4
