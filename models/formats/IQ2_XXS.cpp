// iq2_xxs: 256 weights in 8 sub-blocks of 32; f16 d, then 8 bytes a sub-block: four indices into a grid of 8 magnitudes
// each, and a word of four 7-bit sign sets under a 4-bit scale s. weight = d * (s + 0.5) / 4 * magnitude, signed.
#include "models/formats/Blocks.h"
#include "models/formats/IqGrids.h"

namespace ds4 {

static void decodeBlock(const std::byte *block, float *out) {
  const float d = loadHalf(block);
  for (int i = 0; i < 256; ++i) {
    const std::byte *sub = block + 2 + i / 32 * 8;
    const int group = i / 8 % 4, j = i % 8;
    const auto signsAndScale = loadAt<uint32_t>(sub, 4);
    const float unit = d * (static_cast<float>(signsAndScale >> 28) + 0.5f) * 0.25f;
    const float magnitude = kIq2Magnitudes[kIq2Grid[byteAt(sub, group)] >> (2 * j) & 3];
    out[i] = isNegative(signsAndScale >> (7 * group), j) ? -(unit * magnitude) : unit * magnitude;
  }
}

const Format kIQ2_XXS{WeightFormat::IQ2_XXS, "iq2_xxs", 16, 256, 66, forEachBlock<decodeBlock, 256, 66>};

} // namespace ds4
