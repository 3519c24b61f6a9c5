// f16: IEEE binary16, rounded to nearest even.
#include "models/formats/Blocks.h"

namespace ds4 {

static void decodeBlock(const std::byte *block, float *out) {
  *out = loadHalf(block);
}

static void encodeBlock(const float *weights, std::byte *block) {
  storeAt(block, 0, floatToHalf(*weights));
}

const Format kF16{WeightFormat::F16, "f16", 1, 1, 2, forEachBlock<decodeBlock, 1, 2>,
                encodeEachBlock<encodeBlock, 1, 2>};

} // namespace ds4
