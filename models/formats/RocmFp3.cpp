// rocmfp3: 32 weights; 12 bytes of 3-bit codes in a bit stream, two scale bytes (RocmFpx.h), for weights 0..15 and 16..31.
// weight = scale * level; a code's low two bits are the magnitude 0, 1, 2 or 4, its third bit the sign.
#include "models/formats/ScaleSearch.h"

namespace ds4 {

static constexpr std::array<int, 4> kMagnitudes{0, 1, 2, 4};

static int levelOf(int code) { return code & 4 ? -kMagnitudes[code & 3] : kMagnitudes[code]; }

static void decodeBlock(const std::byte *block, float *out) {
  for (int i = 0; i < 32; ++i)
    out[i] = scaleOfByte(byteAt(block, 12 + i / 16)) * static_cast<float>(levelOf(streamCode(block, i, 3)));
}

static int codeOf(float scaled) {
  const int magnitude = nearestMagnitude(kMagnitudes, scaled);
  return magnitude && scaled < 0.0f ? magnitude | 4 : magnitude;
}

static constexpr LevelRule kRule{.code = codeOf, .level = levelOf, .greatest = 4.0f};

static void encodeRow(std::span<const float> row, std::span<const float> importance, std::byte *out) {
  encodeGroups<kRule, 16, 14>(row, importance, out, [](const std::array<int, 32> &codes, std::byte *block) {
    for (int i = 0; i < 32; ++i)
      addStreamCode(block, i, 3, codes[i]);
  });
}

const Format kRocmFp3{WeightFormat::RocmFp3,    "rocmfp3", 104, 32, 14, forEachBlock<decodeBlock, 32, 14>, encodeRow,
                      firstInvalidScale<12, 14>};
// The wire of rocmfp3; what its scale bytes mean depends on the slice (MixCodebooks.h).
const Format kRocmFp3Mix{WeightFormat::RocmFp3Mix, "rocmfp3_mix", 105, 32, 14, forEachBlock<decodeBlock, 32, 14>};

} // namespace ds4
