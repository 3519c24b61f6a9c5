// tile.h for sm_80 and later: a tile is two mma.sync.m16n8k16, which share `a`.
//
// The order of the 16 products in a sum is free as long as both operands have the same: lane 4 g + t takes halves 4 t .. 4 t + 3
// of the rows g and g + 8 of an operand, two loads of 8 bytes. Sums of lane 4 g + t: columns 2 t, 2 t + 1 of row g, then of
// row g + 8; then the same of columns 8 higher.
#pragma once

#include "wave.h"

namespace ds4 {

struct TileOperand {
  U32 pairs[4]; // of row g, of row g + 8, then the second pairs of both
};
struct TileSum {
  float values[8] = {};
};

template <typename OffsetOf> DS4_DEVICE TileOperand tileOperand(const void *base, OffsetOf offsetOf) {
  TileOperand operand;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    U32 pairs[2];
    load<8>(pairs, base, offsetOf(lane() / 4 + 8 * half) + lane() % 4 * 8);
    operand.pairs[half] = pairs[0];
    operand.pairs[2 + half] = pairs[1];
  }
  return operand;
}

// Halves 2 t, 2 t + 1 and those 8 further on: as the instruction has them.
template <typename OffsetOf> DS4_DEVICE TileOperand ldsOperand(const void *base, OffsetOf offsetOf) {
  const Byte *row = static_cast<const Byte *>(base) + offsetOf(lane() % 16) + lane() / 16 * 16;
  TileOperand operand;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(operand.pairs[0]), "=r"(operand.pairs[1]), "=r"(operand.pairs[2]), "=r"(operand.pairs[3])
               : "r"(static_cast<U32>(__cvta_generic_to_shared(row)))
               : "memory");
  return operand;
}

DS4_DEVICE void columnOperands(TileOperand (&out)[4], const void *base, int bytes) {
#pragma unroll
  for (int half = 0; half < 2; ++half)
#pragma unroll
    for (int pair = 0; pair < 2; ++pair) {
      U32 even[2], odd[2], row = lane() % 4 * 4 + 2 * pair, column = (lane() / 4 + 8 * half) * 8;
      load<8>(even, base, row * bytes + column);
      load<8>(odd, base, (row + 1) * bytes + column);
#pragma unroll
      for (int j = 0; j < 4; ++j)
        out[j].pairs[2 * pair + half] = permuteBytes(odd[j / 2], even[j / 2], j % 2 ? 0x07060302 : 0x05040100);
    }
}

DS4_DEVICE void multiply(TileSum &sum, const TileOperand &a, const TileOperand &b) {
#pragma unroll
  for (int n = 0; n < 2; ++n)
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sum.values[4 * n]), "+f"(sum.values[4 * n + 1]), "+f"(sum.values[4 * n + 2]), "+f"(sum.values[4 * n + 3])
        : "r"(a.pairs[0]), "r"(a.pairs[1]), "r"(a.pairs[2]), "r"(a.pairs[3]), "r"(b.pairs[n]), "r"(b.pairs[2 + n]));
}

inline constexpr bool kTilesTruncate = true;
DS4_DEVICE void addSums(TileSum &sum, const TileSum &other) {
#pragma unroll
  for (int i = 0; i < 8; ++i)
    sum.values[i] += other.values[i];
}

struct RowFactors {
  float low, high; // of rows g and g + 8
  DS4_DEVICE_METHOD explicit RowFactors(const float *factors)
      : low(factors[lane() / 4 % 2 * 8 + lane() / 8]), high(factors[lane() / 4 % 2 * 8 + lane() / 8 + 4]) {}
};
DS4_DEVICE void scaleRows(TileSum &sum, const RowFactors &factors) {
#pragma unroll
  for (int i = 0; i < 8; ++i)
    sum.values[i] *= i & 2 ? factors.high : factors.low;
}

DS4_DEVICE void rowsOf(const TileSum &sum, float (&values)[8]) {
  int column = lane() % 16;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    int from = (2 * i + lane() / 16) % 8 * 4 + column % 8 / 2, half = i / 4 * 2;
    float left[2], right[2];
#pragma unroll
    for (int odd = 0; odd < 2; ++odd) {
      left[odd] = readLane(sum.values[half + odd], from);
      right[odd] = readLane(sum.values[4 + half + odd], from);
    }
    float even = column < 8 ? left[0] : right[0], uneven = column < 8 ? left[1] : right[1];
    values[i] = column % 2 ? uneven : even;
  }
}

} // namespace ds4
