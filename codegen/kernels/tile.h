// Products of 16x16 tiles on the matrix unit: sum[m][n] += a[m][0..15] . b[n][0..15], halves multiplied, added up in single
// precision. WMMA on gfx11, mma.sync on sm_80 and later. All lanes of a wave work on one tile.
//
// Which lane holds what is the target's affair. Operands come from memory, a row at a time; sums are read in one form for
// all targets: lane l holds column l % 16 of the rows 2 i + l / 16, i = 0..7.
//
//   TileOperand                      16 rows of 16 halves
//   TileSum                          16x16 sums; TileSum{} is zero
//   tileOperand(base, offsetOf)      row m stands at base + offsetOf(m), 32 bytes, a multiple of 16
//   ldsOperand(base, offsetOf)       the same from LDS; the operand that it is multiplied with comes from there, too
//   columnOperands(out, base, bytes) of 16 rows, `bytes` apart, 64 columns of halves: row m of out[j] is column 4 m + j
//   multiply(sum, a, b)
//   kTilesTruncate                   the unit truncates what it adds to a sum: errors of long sums add up
//   addSums(sum, other)              in single precision, rounded
//   RowFactors(factors), scaleRows   row m times factors[m % 2 * 8 + m / 2], 16 aligned floats
//   rowsOf(sum, values)              values[i] of this lane as said above
#pragma once

#include "wave.h"

#if defined(__HIP__)
#include "tile_gfx11.h"
#else
#include "tile_cuda.h"
#endif

namespace ds4 {

inline constexpr int kTile = 16;

// x and y times `factor` as a pair of halves, or, to 22 bits, as the sum of two pairs: the second is the rest that the first,
// rounded towards zero, leaves. A product of more than 65504 is out of range, one of less than 2^-14 loses bits: hence the
// factor, a power of two.
template <int Halves> DS4_DEVICE void splitHalves(float x, float y, float factor, U32 (&pairs)[Halves]) {
  if constexpr (Halves == 1) {
    pairs[0] = packHalves(x * factor, y * factor);
  } else {
    pairs[0] = packHalvesTowardsZero(x * factor, y * factor);
    pairs[1] = packHalves(fma(x, factor, -lowHalf(pairs[0])), fma(y, factor, -highHalf(pairs[0])));
  }
}

} // namespace ds4
