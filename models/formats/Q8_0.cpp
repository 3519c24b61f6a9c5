// q8_0: 32 weights; f16 scale d, then int8 q[32]; weight = d * q.
#include "models/formats/Blocks.h"

namespace ds4 {

static void decodeBlock(const std::byte *block, float *out) {
  const float scale = loadHalf(block);
  for (int i = 0; i < 32; ++i)
    out[i] = scale * loadAt<int8_t>(block, 2 + i);
}

const Format kQ8_0{WeightFormat::Q8_0, "q8_0", 8, 32, 34, forEachBlock<decodeBlock, 32, 34>};

} // namespace ds4
