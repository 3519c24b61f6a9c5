// f32: IEEE binary32.
#include "models/formats/Blocks.h"

namespace ds4 {

static void decodeBlock(const std::byte *block, float *out) {
  *out = loadAt<float>(block);
}

const Format kF32{WeightFormat::F32, "f32", 0, 1, 4, forEachBlock<decodeBlock, 1, 4>};

} // namespace ds4
