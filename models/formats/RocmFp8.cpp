// rocmfp8: 32 weights; int8 level[32], then one scale byte (RocmFpx.h). weight = scale * level. Without importance the scale
// nearest to max|x| / 127 is taken without a search.
#include "models/formats/ScaleSearch.h"

namespace ds4 {

static void decodeBlock(const std::byte *block, float *out) {
  const float scale = scaleOfByte(byteAt(block, 32));
  for (int i = 0; i < 32; ++i)
    out[i] = scale * loadAt<int8_t>(block, i);
}

static int codeOf(float scaled) { return static_cast<int>(std::round(std::clamp(scaled, -127.0f, 127.0f))); }

static constexpr LevelRule kRule{
    .code = codeOf, .level = [](int code) { return code; }, .greatest = 127.0f, .searchesUnweighted = false};

static void encodeRow(std::span<const float> row, std::span<const float> importance, std::byte *out) {
  encodeGroups<kRule, 32, 33>(row, importance, out, [](const std::array<int, 32> &codes, std::byte *block) {
    for (int i = 0; i < 32; ++i)
      storeAt(block, i, static_cast<int8_t>(codes[i]));
  });
}

const Format kRocmFp8{WeightFormat::RocmFp8,    "rocmfp8", 103, 32, 33, forEachBlock<decodeBlock, 32, 33>, encodeRow,
                      firstInvalidScale<32, 33>};

} // namespace ds4
