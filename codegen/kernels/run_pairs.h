// The weights of a run (formats/) times a power of two as pairs of halves, in their order: what products on the matrix unit take.
//
// Any format's decoder will do. Formats whose codes are halves with little work have their own way: the code as a half, then one
// multiplication of a pair by its scale; the result is rounded once, as that of the others is.
#pragma once

#include "formats/q8_0.h"
#include "formats/rocmfp4.h"
#include "formats/rocmfp4_fast.h"

namespace ds4 {

template <int Align, typename Format>
DS4_DEVICE void runPairs(const Format &format, const void *base, U32 row, U32 run, float factor, U32 (&pairs)[Format::kRun / 2]) {
  float values[Format::kRun];
  format.template decode<Align>(base, row, run, values);
#pragma unroll
  for (int i = 0; i < Format::kRun / 2; ++i)
    pairs[i] = packHalves(values[2 * i] * factor, values[2 * i + 1] * factor);
}

// A byte b enters as the half 1152 + b.
template <int Align> DS4_DEVICE void runPairs(const Q8_0 &, const void *base, U32 row, U32 run, float factor, U32 (&pairs)[16]) {
  const U32 offset = row + run * Q8_0::kBlockBytes;
  U16 half[1];
  U32 words[8];
  load<2>(half, base, offset);
  load<2>(words, base, offset + 2);
  const float number = halfToFloat(half[0]) * factor;
  const U32 scale = packHalves(number, number);
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const U32 biased = words[i] ^ 0x80808080;
    pairs[2 * i] = scaleHalves(subtractHalves(permuteBytes(biased, 0x64646464, 0x00050004), 0x64806480), scale);
    pairs[2 * i + 1] = scaleHalves(subtractHalves(permuteBytes(biased, 0x64646464, 0x00070006), 0x64806480), scale);
  }
}

// Magnitudes' high bytes come from a table of eight, the sign is the code's upper bit (fragments/fp4.h).
DS4_DEVICE void fp4Pairs(U32 (&pairs)[16], const U32 (&words)[4], float lowScale, float highScale) {
  constexpr U32 kHigh = 0x49484644, kLow = 0x42403c00; // of the halves 0 1 2 3 4 6 8 10
  const U32 scales[2] = {packHalves(lowScale, lowScale), packHalves(highScale, highScale)};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    U32 levels[2];
    lookUpNibbles(levels[0], levels[1], kHigh, kLow, words[i]);
    levels[0] |= words[i] << 4 & 0x80808080;
    levels[1] |= words[i] & 0x80808080;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      pairs[half * 8 + 2 * i] = scaleHalves(permuteBytes(levels[half], levels[half], 0x010c000c), scales[half]);
      pairs[half * 8 + 2 * i + 1] = scaleHalves(permuteBytes(levels[half], levels[half], 0x030c020c), scales[half]);
    }
  }
}
template <int Align>
DS4_DEVICE void runPairs(const RocmFp4Fast &, const void *base, U32 row, U32 run, float factor, U32 (&pairs)[16]) {
  const U32 offset = row + run * RocmFp4Fast::kBlockBytes;
  U32 words[4];
  load<1>(words, base, offset);
  const float scale = scaleOfByte(loadByte(base, offset + 16)) * factor;
  fp4Pairs(pairs, words, scale, scale);
}
template <int Align> DS4_DEVICE void runPairs(const RocmFp4 &, const void *base, U32 row, U32 run, float factor, U32 (&pairs)[16]) {
  const U32 offset = row + run * RocmFp4::kBlockBytes;
  U32 words[4];
  load<1>(words, base, offset);
  const U32 scales = loadHalfBits(base, offset + 16);
  fp4Pairs(pairs, words, scaleOfByte(scales & 0xff) * factor, scaleOfByte(scales >> 8) * factor);
}

} // namespace ds4
