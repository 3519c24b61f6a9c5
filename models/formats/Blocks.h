// What the format files share: unaligned little-endian loads and the loop over blocks. Private to models/formats/.
#pragma once

#include <bit>
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

inline float loadHalf(const std::byte *bytes, size_t offset = 0) { return halfToFloat(loadAt<uint16_t>(bytes, offset)); }

// Makes a Format::decodeBlocks from a function that decodes one block.
template <auto decodeBlock, uint32_t weights, uint32_t bytes> void forEachBlock(const std::byte *blocks, size_t count, float *out) {
  for (size_t i = 0; i < count; ++i)
    decodeBlock(blocks + i * bytes, out + i * weights);
}

extern const Format kF32, kF16, kBF16, kI32, kQ8_0;

} // namespace ds4
