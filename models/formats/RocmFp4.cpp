// rocmfp4: 32 weights; 16 bytes, low nibble code[i], high nibble code[i + 16]; two scale bytes (RocmFpx.h), for weights 0..15
// and 16..31. weight = scale * level; bit 3 of a code is the sign.
#include "models/formats/RocmFp4Codes.h"

namespace ds4 {

static void decodeBlock(const std::byte *block, float *out) {
  const float scales[2] = {scaleOfByte(byteAt(block, 16)), scaleOfByte(byteAt(block, 17))};
  for (int i = 0; i < 32; ++i)
    out[i] = scales[i / 16] * static_cast<float>(fp4Level(fp4Code(block, i)));
}

static void encodeRow(std::span<const float> row, std::span<const float> importance, std::byte *out) {
  encodeGroups<kFp4Rule, 16, 18>(row, importance, out, packFp4);
}

const Format kRocmFp4{WeightFormat::RocmFp4,    "rocmfp4", 100, 32, 18, forEachBlock<decodeBlock, 32, 18>, encodeRow,
                      firstInvalidScale<16, 18>};

} // namespace ds4
