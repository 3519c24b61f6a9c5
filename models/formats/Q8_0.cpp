// q8_0: 32 weights; f16 scale d, then int8 q[32]; weight = d * q.
//
// d = max|x| / 127; q = x / d, rounded half away from zero, by the unrounded d.
#include "models/formats/Blocks.h"

namespace ds4 {

static void decodeBlock(const std::byte *block, float *out) {
  const float scale = loadHalf(block);
  for (int i = 0; i < 32; ++i)
    out[i] = scale * loadAt<int8_t>(block, 2 + i);
}

static void encodeBlock(const float *weights, std::byte *block) {
  const float scale = greatestMagnitude({weights, 32}) / 127.0f;
  const float inverse = scale == 0.0f ? 0.0f : 1.0f / scale;
  storeAt(block, 0, floatToHalf(scale));
  for (int i = 0; i < 32; ++i)
    storeAt(block, 2 + i, static_cast<int8_t>(std::round(finiteOrZero(weights[i]) * inverse)));
}

const Format kQ8_0{WeightFormat::Q8_0, "q8_0", 8, 32, 34, forEachBlock<decodeBlock, 32, 34>,
                encodeEachBlock<encodeBlock, 32, 34>};

} // namespace ds4
