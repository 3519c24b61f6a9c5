// bf16: the upper half of a binary32, rounded to nearest even.
#include "models/formats/Blocks.h"

namespace ds4 {

static void decodeBlock(const std::byte *block, float *out) {
  *out = bfloat16ToFloat(loadAt<uint16_t>(block));
}

static void encodeBlock(const float *weights, std::byte *block) {
  storeAt(block, 0, floatToBfloat16(*weights));
}

const Format kBF16{WeightFormat::BF16, "bf16", 30, 1, 2, forEachBlock<decodeBlock, 1, 2>,
                encodeEachBlock<encodeBlock, 1, 2>};

} // namespace ds4
