// rocmfp4_fast: rocmfp4 with one scale byte (RocmFpx.h) for all 32 weights.
#include "models/formats/RocmFp4Codes.h"

namespace ds4 {

static void decodeBlock(const std::byte *block, float *out) {
  const float scale = scaleOfByte(byteAt(block, 16));
  for (int i = 0; i < 32; ++i)
    out[i] = scale * static_cast<float>(fp4Level(fp4Code(block, i)));
}

static void encodeRow(std::span<const float> row, std::span<const float> importance, std::byte *out) {
  encodeGroups<kFp4Rule, 32, 17>(row, importance, out, packFp4);
}

const Format kRocmFp4Fast{WeightFormat::RocmFp4Fast, "rocmfp4_fast", 101, 32, 17, forEachBlock<decodeBlock, 32, 17>, encodeRow,
                          firstInvalidScale<16, 17>};

} // namespace ds4
