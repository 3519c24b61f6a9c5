// iq3_xxs: 256 weights in 8 sub-blocks of 32; f16 d, 64 indices into a grid of 4 magnitudes each, then a word a sub-block:
// four 7-bit sign sets (8 weights each) under a 4-bit scale s. weight = d * (s + 0.5) / 2 * magnitude, signed.
#include "models/formats/Blocks.h"
#include "models/formats/IqGrids.h"

namespace ds4 {

static void decodeBlock(const std::byte *block, float *out) {
  const float d = loadHalf(block);
  for (int i = 0; i < 256; ++i) {
    const auto signsAndScale = loadAt<uint32_t>(block, 66 + i / 32 * 4);
    const float unit = d * (static_cast<float>(signsAndScale >> 28) + 0.5f) * 0.5f;
    const float magnitude = kIq3Magnitudes[kIq3Grid[byteAt(block, 2 + i / 4)] >> (4 * (i % 4)) & 7];
    out[i] = isNegative(signsAndScale >> (7 * (i / 8 % 4)), i % 8) ? -(unit * magnitude) : unit * magnitude;
  }
}

const Format kIQ3_XXS{WeightFormat::IQ3_XXS, "iq3_xxs", 18, 256, 98, forEachBlock<decodeBlock, 256, 98>};

} // namespace ds4
