// f32: IEEE binary32.
#include "models/formats/Blocks.h"

namespace ds4 {

static void decodeBlock(const std::byte *block, float *out) {
  *out = loadAt<float>(block);
}

static void encodeBlock(const float *weights, std::byte *block) {
  storeAt(block, 0, *weights);
}

const Format kF32{WeightFormat::F32, "f32", 0, 1, 4, forEachBlock<decodeBlock, 1, 4>,
                encodeEachBlock<encodeBlock, 1, 4>};

} // namespace ds4
