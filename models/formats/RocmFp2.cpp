// rocmfp2: 32 weights; 8 bytes of 2-bit codes in a bit stream, two scale bytes (RocmFpx.h), for weights 0..15 and 16..31.
// weight = scale * level, levels -1, 0, 1, 2.
//
// Files in the wild use type 107 in two more ways, which the user must name, as nothing in a file does:
// rocmfp2_affine, weight = code * scale(e[0]) - scale(e[1]), one pair for all 32 weights; rocmfp2_s40, rocmfp2 with the levels
// -4, -1, 1, 4.
#include "models/formats/ScaleSearch.h"

namespace ds4 {

static int levelOf(int code) { return code - 1; }

static void decodeBlock(const std::byte *block, float *out) {
  for (int i = 0; i < 32; ++i)
    out[i] = scaleOfByte(byteAt(block, 8 + i / 16)) * static_cast<float>(levelOf(streamCode(block, i, 2)));
}

static void decodeAffineBlock(const std::byte *block, float *out) {
  const float scale = scaleOfByte(byteAt(block, 8)), offset = scaleOfByte(byteAt(block, 9));
  for (int i = 0; i < 32; ++i)
    out[i] = static_cast<float>(streamCode(block, i, 2)) * scale - offset;
}

static void decodeS40Block(const std::byte *block, float *out) {
  static constexpr float kLevels[4] = {-4, -1, 1, 4};
  for (int i = 0; i < 32; ++i)
    out[i] = scaleOfByte(byteAt(block, 8 + i / 16)) * kLevels[streamCode(block, i, 2)];
}

static int codeOf(float scaled) {
  int best = 0;
  for (int code = 1; code < 4; ++code) // ties to the lower level
    if (std::fabs(scaled - static_cast<float>(levelOf(code))) < std::fabs(scaled - static_cast<float>(levelOf(best))))
      best = code;
  return best;
}

static constexpr LevelRule kRule{.code = codeOf, .level = levelOf, .greatest = 2.0f, .zero = 1};

static void encodeRow(std::span<const float> row, std::span<const float> importance, std::byte *out) {
  encodeGroups<kRule, 16, 10>(row, importance, out, [](const std::array<int, 32> &codes, std::byte *block) {
    for (int i = 0; i < 32; ++i)
      addStreamCode(block, i, 2, codes[i]);
  });
}

const Format kRocmFp2{WeightFormat::RocmFp2,   "rocmfp2", 107, 32, 10, forEachBlock<decodeBlock, 32, 10>, encodeRow,
                      firstInvalidScale<8, 10>};
const Format kRocmFp2Affine{.id = WeightFormat::RocmFp2Affine,
                            .name = "rocmfp2_affine",
                            .ggmlType = 107,
                            .blockWeights = 32,
                            .blockBytes = 10,
                            .decodeBlocks = forEachBlock<decodeAffineBlock, 32, 10>,
                            .firstInvalid = firstInvalidScale<8, 10>};
const Format kRocmFp2S40{.id = WeightFormat::RocmFp2S40,
                         .name = "rocmfp2_s40",
                         .ggmlType = 107,
                         .blockWeights = 32,
                         .blockBytes = 10,
                         .decodeBlocks = forEachBlock<decodeS40Block, 32, 10>,
                         .firstInvalid = firstInvalidScale<8, 10>};
// The wire of rocmfp2; what its scale bytes mean depends on the slice (MixCodebooks.h).
const Format kRocmFp2Mix{WeightFormat::RocmFp2Mix, "rocmfp2_mix", 106, 32, 10, forEachBlock<decodeBlock, 32, 10>};

} // namespace ds4
