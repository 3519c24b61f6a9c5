// q4_0: 32 weights; f16 scale d, then 16 bytes, low nibble q[i], high nibble q[i + 16]; weight = d * (q - 8).
//
// The weight x of greatest magnitude becomes -8: d = x / -8. q = floor(x / d + 8.5), at most 15; computed in double
// precision, so that a fused multiply-add would change nothing.
#include <algorithm>

#include "models/formats/Blocks.h"

namespace ds4 {

static void decodeBlock(const std::byte *block, float *out) {
  const float scale = loadHalf(block);
  for (int i = 0; i < 16; ++i) {
    out[i] = scale * static_cast<float>((byteAt(block, 2 + i) & 15) - 8);
    out[i + 16] = scale * static_cast<float>((byteAt(block, 2 + i) >> 4) - 8);
  }
}

static void encodeBlock(const float *weights, std::byte *block) {
  float extreme = 0.0f;
  for (int i = 0; i < 32; ++i)
    if (std::fabs(finiteOrZero(weights[i])) > std::fabs(extreme))
      extreme = weights[i];
  const float scale = extreme / -8.0f;
  const double inverse = scale == 0.0f ? 0.0f : 1.0f / scale;
  const auto quantize = [&](float x) { return std::min(15, static_cast<int>(finiteOrZero(x) * inverse + 8.5)); };
  storeAt(block, 0, floatToHalf(scale));
  for (int i = 0; i < 16; ++i)
    storeAt(block, 2 + i, static_cast<uint8_t>(quantize(weights[i]) | quantize(weights[i + 16]) << 4));
}

const Format kQ4_0{WeightFormat::Q4_0, "q4_0", 2, 32, 18, forEachBlock<decodeBlock, 32, 18>,
                encodeEachBlock<encodeBlock, 32, 18>};

} // namespace ds4
