// The 4-bit codes of rocmfp4 and rocmfp4_fast: magnitudes 0, 1, 2, 3, 4, 6, 8, 10 and a sign bit.
#pragma once

#include "models/formats/ScaleSearch.h"

namespace ds4 {

inline constexpr std::array<int, 8> kFp4Magnitudes{0, 1, 2, 3, 4, 6, 8, 10};

inline int fp4Level(int code) { return code & 8 ? -kFp4Magnitudes[code & 7] : kFp4Magnitudes[code]; }

inline constexpr LevelRule kFp4Rule{
    .code =
        [](float scaled) {
          const int magnitude = nearestMagnitude(kFp4Magnitudes, scaled);
          return magnitude && scaled < 0.0f ? magnitude | 8 : magnitude;
        },
    .level = fp4Level,
    .greatest = 10.0f,
};

inline int fp4Code(const std::byte *block, int i) { return byteAt(block, i % 16) >> (i / 16 * 4) & 15; }

inline void packFp4(const std::array<int, 32> &codes, std::byte *block) {
  for (int i = 0; i < 16; ++i)
    block[i] = static_cast<std::byte>(codes[i] | codes[i + 16] << 4);
}

} // namespace ds4
