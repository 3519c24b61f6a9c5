// i32: integers (hash routing tables), not weights of a product.
#include "models/formats/Blocks.h"

namespace ds4 {

static void decodeBlock(const std::byte *block, float *out) {
  *out = static_cast<float>(loadAt<int32_t>(block));
}

const Format kI32{WeightFormat::I32, "i32", 26, 1, 4, forEachBlock<decodeBlock, 1, 4>};

} // namespace ds4
