// The six-bit scales and minima of q4_k and q5_k in dwords 1..3 of a super-block (formats/super_block.h).
#pragma once

#include "wave.h"

namespace ds4 {

template <int Count> DS4_DEVICE float superScale(const U32 (&words)[Count], int block) {
  int shift = block % 4 * 8;
  U32 scale = block < 4 ? words[1] >> shift & 63 : (words[3] >> shift & 15) | (words[1] >> (shift + 6) & 3) << 4;
  return static_cast<float>(scale);
}
template <int Count> DS4_DEVICE float superMinimum(const U32 (&words)[Count], int block) {
  int shift = block % 4 * 8;
  U32 minimum = block < 4 ? words[2] >> shift & 63 : (words[3] >> (shift + 4) & 15) | (words[2] >> (shift + 6) & 3) << 4;
  return static_cast<float>(minimum);
}

} // namespace ds4
