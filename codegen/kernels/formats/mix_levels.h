// The levels of a MIX weight's slices, as device code looks them up. They lie behind the weight's blocks, at the next multiple
// of 16 bytes, one record a slice (an expert; a dense matrix is one slice). Shared by host and device.
//
// A table holds eight levels in two planes of bytes, so that one byte permutation looks up four codes at once: the levels' low
// bytes in words 0 and 1, their high bytes in words 2 and 3. rocmfp3_mix has one table a codebook. rocmfp2_mix keeps both
// codebooks in the first table, the second one's from entry 4 on. A fixed slice has the format's own levels in both.
#pragma once

namespace ds4 {

struct MixLevels {
  unsigned int single[2][4]; // upper halves of the levels in single precision: bfloat16, which they are
  unsigned int half[2][4];   // levels / unit in half precision
  float unit;                // a power of two that keeps the largest level of the slice well inside the range of halves
  unsigned int unused[3];
};

inline constexpr unsigned long long kMixLevelsAlignment = 16;
constexpr unsigned long long mixLevelsOffset(unsigned long long blockBytes) {
  return (blockBytes + kMixLevelsAlignment - 1) / kMixLevelsAlignment * kMixLevelsAlignment;
}

} // namespace ds4
