// q5_k: q4_k with a fifth bit; f16 d, f16 dmin, 12 bytes of scales (SuperBlock.h), 32 bytes of fifth bits (bit s of byte j:
// weight j of sub-block s), then the nibbles as in q4_k.
#include "models/formats/SuperBlock.h"

namespace ds4 {

static void decodeBlock(const std::byte *block, float *out) {
  const float d = loadHalf(block), dmin = loadHalf(block, 2);
  for (int i = 0; i < 256; ++i) {
    const int sub = i / 32, j = i % 32;
    const auto [scale, minimum] = subScaleOf(block + 4, sub);
    const int low = byteAt(block, 48 + sub / 2 * 32 + j) >> (sub % 2 * 4) & 15;
    const int high = byteAt(block, 16 + j) >> sub & 1;
    out[i] = d * scale * static_cast<float>(low | high << 4) - dmin * minimum;
  }
}

const Format kQ5_K{WeightFormat::Q5_K, "q5_k", 13, 256, 176, forEachBlock<decodeBlock, 256, 176>};

} // namespace ds4
