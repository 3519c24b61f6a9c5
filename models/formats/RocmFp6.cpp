// rocmfp6: 32 weights; 24 bytes of 6-bit codes in a bit stream, two scale bytes (RocmFpx.h), for weights 0..15 and 16..31.
// weight = scale * level; a code's low five bits are the magnitude 0..31, its sixth bit the sign, and code 32 is zero.
#include "models/formats/ScaleSearch.h"

namespace ds4 {

static int levelOf(int code) { return code & 32 ? -(code & 31) : code; }

static void decodeBlock(const std::byte *block, float *out) {
  for (int i = 0; i < 32; ++i)
    out[i] = scaleOfByte(byteAt(block, 24 + i / 16)) * static_cast<float>(levelOf(streamCode(block, i, 6)));
}

static int codeOf(float scaled) {
  const int magnitude = static_cast<int>(std::round(std::min(std::fabs(scaled), 31.0f))); // halves away from zero
  return magnitude && scaled < 0.0f ? magnitude | 32 : magnitude;
}

static constexpr LevelRule kRule{.code = codeOf, .level = levelOf, .greatest = 31.0f};

static void encodeRow(std::span<const float> row, std::span<const float> importance, std::byte *out) {
  encodeGroups<kRule, 16, 26>(row, importance, out, [](const std::array<int, 32> &codes, std::byte *block) {
    for (int i = 0; i < 32; ++i)
      addStreamCode(block, i, 6, codes[i]);
  });
}

const Format kRocmFp6{WeightFormat::RocmFp6,    "rocmfp6", 102, 32, 26, forEachBlock<decodeBlock, 32, 26>, encodeRow,
                      firstInvalidScale<24, 26>};

} // namespace ds4
