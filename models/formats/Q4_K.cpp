// q4_k: 256 weights in 8 sub-blocks of 32; f16 d, f16 dmin, 12 bytes of scales (SuperBlock.h), then 4 x 32 bytes: the low
// nibbles are sub-block 2p, the high nibbles sub-block 2p + 1. weight = d * scale * q - dmin * minimum.
#include "models/formats/SuperBlock.h"

namespace ds4 {

static void decodeBlock(const std::byte *block, float *out) {
  const float d = loadHalf(block), dmin = loadHalf(block, 2);
  for (int i = 0; i < 256; ++i) {
    const int sub = i / 32;
    const auto [scale, minimum] = subScaleOf(block + 4, sub);
    const int q = byteAt(block, 16 + sub / 2 * 32 + i % 32) >> (sub % 2 * 4) & 15;
    out[i] = d * scale * static_cast<float>(q) - dmin * minimum;
  }
}

const Format kQ4_K{WeightFormat::Q4_K, "q4_k", 12, 256, 144, forEachBlock<decodeBlock, 256, 144>};

} // namespace ds4
