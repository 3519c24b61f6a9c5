// tile.h for gfx11 in wave32: lane l holds row l % 16 of an operand, lanes 16..31 hold copies.
#pragma once

#include "wave.h"

namespace ds4 {

typedef _Float16 TileHalves __attribute__((ext_vector_type(16)));
typedef float TileFloats __attribute__((ext_vector_type(8)));

struct TileOperand {
  U32 pairs[8];
};
struct TileSum {
  TileFloats values = {};
};

template <typename OffsetOf> DS4_DEVICE TileOperand tileOperand(const void *base, OffsetOf offsetOf) {
  TileOperand operand;
  load<16>(operand.pairs, base, offsetOf(lane() % 16));
  return operand;
}

template <typename OffsetOf> DS4_DEVICE TileOperand ldsOperand(const void *base, OffsetOf offsetOf) {
  return tileOperand(base, offsetOf);
}

DS4_DEVICE void columnOperands(TileOperand (&out)[4], const void *base, int bytes) {
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    U32 even[2], odd[2];
    load<8>(even, base, 2 * k * bytes + lane() % 16 * 8);
    load<8>(odd, base, (2 * k + 1) * bytes + lane() % 16 * 8);
#pragma unroll
    for (int j = 0; j < 4; ++j)
      out[j].pairs[k] = permuteBytes(odd[j / 2], even[j / 2], j % 2 ? 0x07060302 : 0x05040100);
  }
}

DS4_DEVICE void multiply(TileSum &sum, const TileOperand &a, const TileOperand &b) {
  sum.values =
      __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(__builtin_bit_cast(TileHalves, a), __builtin_bit_cast(TileHalves, b), sum.values);
}

inline constexpr bool kTilesTruncate = false;
DS4_DEVICE void addSums(TileSum &sum, const TileSum &other) { sum.values += other.values; }

struct RowFactors {
  TileFloats values;
  DS4_DEVICE_METHOD explicit RowFactors(const float *factors) {
    float own[8];
    load<16>(own, factors, lane() / 16 * 32);
    values = __builtin_bit_cast(TileFloats, own);
  }
};
DS4_DEVICE void scaleRows(TileSum &sum, const RowFactors &factors) { sum.values *= factors.values; }

DS4_DEVICE void rowsOf(const TileSum &sum, float (&values)[8]) { __builtin_memcpy(values, &sum.values, sizeof(values)); }

} // namespace ds4
