// What the MIX formats share: looking up levels (mix_levels.h). Their scale bytes have the codebook in bit 7.
#pragma once

#include "formats/block.h"
#include "formats/mix_levels.h"
#include "formats/scale_byte.h"

namespace ds4 {

// One row of tables of a slice's record: `from` is the same in all lanes.
template <int Count> DS4_DEVICE void loadLevels(U32 (&tables)[Count], const unsigned int *from) {
#pragma unroll
  for (int i = 0; i < Count; ++i)
    tables[i] = static_cast<U32>(uniform(static_cast<int>(from[i])));
}

// The levels, in single precision, of four codes, which are the bytes of `codes`.
DS4_DEVICE void lookUp(float (&levels)[4], const U32 (&table)[4], U32 codes) {
  U32 low = permuteBytes(table[1], table[0], codes), high = permuteBytes(table[3], table[2], codes);
#pragma unroll
  for (int i = 0; i < 4; ++i)
    levels[i] = floatOf(permuteBytes(high, low, 0x04000c0c + i * 0x01010000));
}

} // namespace ds4
