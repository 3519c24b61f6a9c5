// q2_k: 256 weights; 16 bytes, one for 16 weights, low nibble scale and high nibble minimum; 64 bytes of 2-bit q; f16 d,
// f16 dmin. weight = d * scale * q - dmin * minimum. Each half of 128 weights is four runs of 32 in 32 bytes: run r at bits 2r.
#include "models/formats/Blocks.h"

namespace ds4 {

static void decodeBlock(const std::byte *block, float *out) {
  const float d = loadHalf(block, 80), dmin = loadHalf(block, 82);
  for (int i = 0; i < 256; ++i) {
    const int q = byteAt(block, 16 + i / 128 * 32 + i % 32) >> (i / 32 % 4 * 2) & 3;
    const int scales = byteAt(block, i / 16);
    out[i] = d * static_cast<float>(scales & 15) * static_cast<float>(q) - dmin * static_cast<float>(scales >> 4);
  }
}

const Format kQ2_K{WeightFormat::Q2_K, "q2_k", 10, 256, 84, forEachBlock<decodeBlock, 256, 84>};

} // namespace ds4
