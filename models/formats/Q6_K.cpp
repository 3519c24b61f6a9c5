// q6_k: 256 weights; 128 bytes of low nibbles, 64 bytes of upper bit pairs, int8 scale[16] (one for 16 weights), f16 d;
// weight = d * scale * (q - 32). Each half of 128 weights is four runs of 32: run r has its low nibbles in byte
// 32 * (r mod 2) + j of the half, low nibble for r < 2, and its upper bits at 2r of byte j.
#include "models/formats/Blocks.h"

namespace ds4 {

static void decodeBlock(const std::byte *block, float *out) {
  const float d = loadHalf(block, 208);
  for (int i = 0; i < 256; ++i) {
    const int half = i / 128, run = i / 32 % 4, j = i % 32;
    const int low = byteAt(block, half * 64 + run % 2 * 32 + j) >> (run / 2 * 4) & 15;
    const int high = byteAt(block, 128 + half * 32 + j) >> (run * 2) & 3;
    out[i] = d * loadAt<int8_t>(block, 192 + i / 16) * static_cast<float>((low | high << 4) - 32);
  }
}

const Format kQ6_K{WeightFormat::Q6_K, "q6_k", 14, 256, 210, forEachBlock<decodeBlock, 256, 210>};

} // namespace ds4
