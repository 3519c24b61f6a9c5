// What formats of blocks share: a run is 32 weights of a row, and a block holds one or eight of them.
//
// A format's decode() gives the weights of run `run` of the row that begins at `base + row`, the same bits as the host's
// decoder. Blocks are aligned to nothing, so words are read unaligned. Block and scale bytes were checked at load. Most formats
// are empty structs; one that looks levels up holds them (mix.h).
#pragma once

#include "wave.h"

namespace ds4 {

template <typename Format> struct BlockFormat {
  static constexpr int kRun = 32;

  // Sum of w * x over one run, in two chains.
  template <int Align> DS4_DEVICE_METHOD float dot(const void *base, U32 row, U32 run, const float (&x)[kRun]) const {
    float w[kRun], sum[2] = {};
    static_cast<const Format *>(this)->template decode<Align>(base, row, run, w);
#pragma unroll
    for (int i = 0; i < kRun; ++i)
      sum[i % 2] = fma(w[i], x[i], sum[i % 2]);
    return sum[0] + sum[1];
  }
};

template <int Count> DS4_DEVICE U32 byteOf(const U32 (&words)[Count], int i) { return words[i / 4] >> i % 4 * 8 & 0xff; }
template <int Count> DS4_DEVICE int signedByteOf(const U32 (&words)[Count], int i) {
  return static_cast<signed char>(words[i / 4] >> i % 4 * 8);
}
// Code i of a little-endian bit stream, lowest bit first.
template <int Bits, int Count> DS4_DEVICE int streamCode(const U32 (&words)[Count], int i) {
  int word = i * Bits / 32, shift = i * Bits % 32;
  U32 code = words[word] >> shift;
  if (shift + Bits > 32)
    code |= words[word + 1] << (32 - shift);
  return code & ((1 << Bits) - 1);
}

DS4_DEVICE U32 loadByte(const void *base, U32 offset) { return static_cast<const Byte *>(base)[offset]; }
DS4_DEVICE U32 loadHalfBits(const void *base, U32 offset) {
  U16 bits[1];
  load<1>(bits, base, offset);
  return bits[0];
}
DS4_DEVICE float loadHalf(const void *base, U32 offset) { return halfToFloat(static_cast<U16>(loadHalfBits(base, offset))); }

} // namespace ds4
