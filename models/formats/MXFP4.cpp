// mxfp4 (OCP microscaling): 32 weights; a power-of-two scale byte e, then 16 bytes of E2M1 codes, low nibble code[i], high
// nibble code[i + 16]; weight = 2^(e - 127) * level(code). e = 255 means NaN there: no file of weights may hold it.
//
// e = floor(log2 max|x|) - 2 + 127, so that the greatest weight lies in the octave of levels 4 and 6 (it may saturate);
// codes by nearest level, ties to the smaller magnitude.
#include <algorithm>

#include "models/formats/Blocks.h"

namespace ds4 {

static constexpr float kLevels[16] = {0.0f,  0.5f,  1.0f,  1.5f,  2.0f,  3.0f,  4.0f,  6.0f,
                                      -0.0f, -0.5f, -1.0f, -1.5f, -2.0f, -3.0f, -4.0f, -6.0f};

static size_t firstInvalid(const std::byte *blocks, size_t count) {
  size_t i = 0;
  while (i < count && byteAt(blocks, i * 17) != 255)
    ++i;
  return i;
}

static void decodeBlock(const std::byte *block, float *out) {
  const float scale = std::ldexp(1.0f, byteAt(block, 0) - 127);
  for (int i = 0; i < 16; ++i) {
    out[i] = scale * kLevels[byteAt(block, 1 + i) & 15];
    out[i + 16] = scale * kLevels[byteAt(block, 1 + i) >> 4];
  }
}

static void encodeBlock(const float *weights, std::byte *block) {
  const float greatest = greatestMagnitude({weights, 32});
  const int exponent = greatest == 0.0f ? 0 : std::clamp(std::ilogb(greatest) - 2 + 127, 0, 254);
  const float scale = std::ldexp(1.0f, exponent - 127);
  const auto quantize = [&](float weight) {
    int best = 0; // +0 also for weights that round to -0
    for (int code = 1; code < 16; ++code)
      if (std::fabs(scale * kLevels[code] - weight) < std::fabs(scale * kLevels[best] - weight))
        best = code;
    return best;
  };
  storeAt(block, 0, static_cast<uint8_t>(exponent));
  for (int i = 0; i < 16; ++i)
    storeAt(block, 1 + i, static_cast<uint8_t>(quantize(finiteOrZero(weights[i])) | quantize(finiteOrZero(weights[i + 16])) << 4));
}

const Format kMXFP4{
    WeightFormat::MXFP4, "mxfp4", 39, 32, 17, forEachBlock<decodeBlock, 32, 17>, encodeEachBlock<encodeBlock, 32, 17>,
    firstInvalid};

} // namespace ds4
