// Tables of the IQ formats in LDS, one a workgroup: points of a grid as halves, and eight signs in the upper bits of halves for
// their seven bits. A lane gets four pairs of weights for two or three loads, which the ALU would be several times as long about.
#pragma once

#include "formats/signs.h"
#include "product.h"

namespace ds4 {

// Halves, in order, of a point of Count weights.
template <int Count> struct IqPoint {
  U32 pairs[Count / 2];
};
struct IqSigns {
  U32 pairs[4];
};

template <typename Tables> DS4_DEVICE Tables &iqTables() {
  alignas(16) DS4_SHARED Byte memory[sizeof(Tables)];
  return *reinterpret_cast<Tables *>(memory);
}

// Of all 128 sets of seven bits.
template <int Threads> DS4_DEVICE void fillSigns(IqSigns (&table)[128]) {
  for (int i = threadIndex(); i < 128; i += Threads) {
    U32 signs = evenSigns(i), doubled = signs | signs << 15; // weights 2 k and 2 k + 1: bits 2 k and 2 k + 16
    U32 pairs[4];
#pragma unroll
    for (int k = 0; k < 4; ++k)
      pairs[k] = doubled << (15 - 2 * k) & 0x80008000;
    store<16>(table + i, 0, pairs);
  }
}

// Eight weights: the point's pairs with the signs of bits from .. from + 6 of `bits`, from >= 0.
DS4_DEVICE void addSigns(U32 (&pairs)[4], const IqSigns (&table)[128], U32 bits, int from) {
  U32 signs[4];
  load<16>(signs, table, (from < 4 ? bits << (4 - from) : bits >> (from - 4)) & 0x7f0);
#pragma unroll
  for (int k = 0; k < 4; ++k)
    pairs[k] |= signs[k];
}

} // namespace ds4
