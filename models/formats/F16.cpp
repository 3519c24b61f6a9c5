// f16: IEEE binary16.
#include "models/formats/Blocks.h"

namespace ds4 {

static void decodeBlock(const std::byte *block, float *out) {
  *out = loadHalf(block);
}

const Format kF16{WeightFormat::F16, "f16", 1, 1, 2, forEachBlock<decodeBlock, 1, 2>};

} // namespace ds4
