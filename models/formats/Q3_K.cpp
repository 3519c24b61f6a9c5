// q3_k: 256 weights; 32 bytes of third bits (bit s of byte j: weight j of sub-block s of 32), 64 bytes of 2-bit q as in
// q2_k, 16 six-bit scales in 12 bytes, f16 d. weight = d * (scale - 32) * q, where a third bit of 0 subtracts 4 from q.
// Scale s has its low nibble in byte s mod 8 (high nibble for s >= 8) and its upper bits in byte 8 + s mod 4 at 2 * (s / 4).
#include "models/formats/Blocks.h"

namespace ds4 {

static void decodeBlock(const std::byte *block, float *out) {
  const float d = loadHalf(block, 108);
  for (int i = 0; i < 256; ++i) {
    const int s = i / 16;
    const int scale = (byteAt(block, 96 + s % 8) >> (s / 8 * 4) & 15) | (byteAt(block, 104 + s % 4) >> (s / 4 * 2) & 3) << 4;
    const int low = byteAt(block, 32 + i / 128 * 32 + i % 32) >> (i / 32 % 4 * 2) & 3;
    const int third = byteAt(block, i % 32) >> (i / 32) & 1;
    out[i] = d * static_cast<float>(scale - 32) * static_cast<float>(third ? low : low - 4);
  }
}

const Format kQ3_K{WeightFormat::Q3_K, "q3_k", 11, 256, 110, forEachBlock<decodeBlock, 256, 110>};

} // namespace ds4
