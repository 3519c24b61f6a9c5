// iq4_xs: 256 weights in 8 sub-blocks of 32; f16 d, u16 of upper scale bits, 4 bytes of low scale nibbles, then 16 bytes a
// sub-block, low nibble code[i], high nibble code[i + 16]. weight = d * (scale - 32) * level(code), 16 uneven levels.
#include "models/formats/Blocks.h"

namespace ds4 {

static constexpr float kLevels[16] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};

static void decodeBlock(const std::byte *block, float *out) {
  const float d = loadHalf(block);
  const int upper = loadAt<uint16_t>(block, 2);
  for (int sub = 0; sub < 8; ++sub) {
    const int scale = (byteAt(block, 4 + sub / 2) >> (sub % 2 * 4) & 15) | (upper >> (sub * 2) & 3) << 4;
    const float unit = d * static_cast<float>(scale - 32);
    for (int i = 0; i < 16; ++i) {
      const int codes = byteAt(block, 8 + sub * 16 + i);
      out[sub * 32 + i] = unit * kLevels[codes & 15];
      out[sub * 32 + i + 16] = unit * kLevels[codes >> 4];
    }
  }
}

const Format kIQ4_XS{WeightFormat::IQ4_XS, "iq4_xs", 23, 256, 136, forEachBlock<decodeBlock, 256, 136>};

} // namespace ds4
