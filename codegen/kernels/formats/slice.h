// The struct that reads a weight's blocks, for one slice of the weight: a Format (block.h) or a Fragment (product.h).
#pragma once

#include "formats/mix_levels.h"
#include "wave.h"

namespace ds4 {

template <typename Reader, typename = void> inline constexpr bool kHasLevels = false;
template <typename Reader> inline constexpr bool kHasLevels<Reader, decltype(void(&Reader::of))> = true;

// `bytes`: of the blocks of all slices; `slice` is the same in all lanes.
template <typename Reader> DS4_DEVICE Reader readerOf(const void *weight, U64 bytes, int slice = 0) {
  if constexpr (kHasLevels<Reader>)
    return Reader::of(reinterpret_cast<const MixLevels *>(static_cast<const Byte *>(weight) + mixLevelsOffset(bytes))[slice]);
  else
    return {};
}

} // namespace ds4
