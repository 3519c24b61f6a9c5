// What the format files share: unaligned little-endian loads and loops over blocks. Private to models/formats/ and models/synth/.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "models/formats/Format.h"
#include "support/Half.h"

namespace ds4 {

static_assert(std::endian::native == std::endian::little, "model files are little endian and are read in place");

template <typename T> T loadAt(const std::byte *bytes, size_t offset = 0) {
  T value;
  std::memcpy(&value, bytes + offset, sizeof(T));
  return value;
}

template <typename T> void storeAt(std::byte *bytes, size_t offset, T value) { std::memcpy(bytes + offset, &value, sizeof(T)); }

inline int byteAt(const std::byte *bytes, size_t offset) { return std::to_integer<int>(bytes[offset]); }

inline float loadHalf(const std::byte *bytes, size_t offset = 0) { return halfToFloat(loadAt<uint16_t>(bytes, offset)); }

inline float finiteOrZero(float x) { return std::isfinite(x) ? x : 0.0f; }

// The greatest magnitude of the finite weights.
inline float greatestMagnitude(std::span<const float> weights) {
  float greatest = 0.0f;
  for (float weight : weights)
    greatest = std::fmax(greatest, std::fabs(finiteOrZero(weight)));
  return greatest;
}

// Makes a Format::decodeBlocks from a function that decodes one block.
template <auto decodeBlock, uint32_t weights, uint32_t bytes> void forEachBlock(const std::byte *blocks, size_t count, float *out) {
  for (size_t i = 0; i < count; ++i)
    decodeBlock(blocks + i * bytes, out + i * weights);
}

// Makes a Format::encodeRow from a function that encodes one block, without regard to importance.
template <auto encodeBlock, uint32_t weights, uint32_t bytes>
void encodeEachBlock(std::span<const float> row, std::span<const float> importance, std::byte *out) {
  for (size_t i = 0; i < row.size() / weights; ++i)
    encodeBlock(row.data() + i * weights, out + i * bytes);
}

extern const Format kF32, kF16, kBF16, kI32, kQ8_0, kQ4_0, kQ2_K, kQ3_K, kQ4_K, kQ5_K, kQ6_K, kIQ2_XXS, kIQ3_XXS, kIQ4_XS, kMXFP4,
    kRocmFp4, kRocmFp4Fast, kRocmFp6, kRocmFp8, kRocmFp3, kRocmFp3Mix, kRocmFp2Mix, kRocmFp2, kRocmFp2Affine, kRocmFp2S40;

} // namespace ds4
