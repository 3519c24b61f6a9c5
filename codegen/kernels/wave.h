// The device prelude: everything that differs between compilers and targets, under names of our own.
//
// Targets: gfx11 (wave32) by Clang 22 and hipRTC, sm_80 and later by NVRTC. No other header and no device library is
// used, so a kernel compiles in some 20 ms. A wave is 32 lanes everywhere; workgroups are one-dimensional.
//
// Accuracy: exp, log1pUnit, sigmoid, reciprocal, inverseSqrt and squareRoot are within 2 ulp or so, sineCosine within
// 1e-7 absolute for |angle| up to 1.1e6. Results differ in the last bits between targets, never between launches.
#pragma once

#if defined(__HIP__)
#include "wave_gfx11.h"
#else
#include "wave_cuda.h"
#endif

namespace ds4 {

using Byte = unsigned char;
using U16 = unsigned short;
using U32 = unsigned int;
using U64 = unsigned long long;

inline constexpr int kWaveSize = 32;

// --- Lanes and waves ---
DS4_DEVICE int lane() { return threadIndex() % kWaveSize; }
// Index of the wave in its workgroup, known to the compiler to be the same in all lanes.
DS4_DEVICE int wave() { return uniform(threadIndex() / kWaveSize); }
// The token that this workgroup works for.
DS4_DEVICE int tokenIndex() { return blockY(); }

// Which workgroup of its op runs. An op that shares a launch with others is told so, it does not ask the hardware.
struct Workgroup {
  int x, token;
};
DS4_DEVICE Workgroup thisWorkgroup() { return {blockX(), blockY()}; }

template <int Mask> DS4_DEVICE float laneXor(float x) { return floatOf(laneXor<Mask>(bitsOf(x))); }
template <int Mask> DS4_DEVICE int laneXor(int x) { return static_cast<int>(laneXor<Mask>(static_cast<U32>(x))); }
template <int Mask> DS4_DEVICE U64 laneXor(U64 x) {
  return static_cast<U64>(laneXor<Mask>(static_cast<U32>(x >> 32))) << 32 | laneXor<Mask>(static_cast<U32>(x));
}
DS4_DEVICE float readLane(float x, int from) { return floatOf(readLane(bitsOf(x), from)); }
DS4_DEVICE U64 readLane(U64 x, int from) {
  return static_cast<U64>(readLane(static_cast<U32>(x >> 32), from)) << 32 | readLane(static_cast<U32>(x), from);
}
DS4_DEVICE int readLane(int x, int from) { return static_cast<int>(readLane(static_cast<U32>(x), from)); }

// Combines the lanes whose numbers differ in the bits First, 2 * First .. Lanes / 2; all of them get the result. With
// First = 1 these are the aligned groups of Lanes lanes. The tree is fixed.
template <int Lanes, int First = 1, typename T, typename Combine> DS4_DEVICE T reduceLanes(T x, Combine combine) {
  if constexpr (First < Lanes)
    return reduceLanes<Lanes, 2 * First>(combine(x, laneXor<First>(x)), combine);
  else
    return x;
}
template <typename A, typename B> inline constexpr bool kIsSame = false;
template <typename A> inline constexpr bool kIsSame<A, A> = true;
template <typename T> DS4_DEVICE constexpr T larger(T a, T b) { return a > b ? a : b; }
template <typename T> DS4_DEVICE constexpr T smaller(T a, T b) { return a < b ? a : b; }
template <int Lanes = kWaveSize, int First = 1, typename T> DS4_DEVICE T sumLanes(T x) {
  return reduceLanes<Lanes, First>(x, [](T a, T b) { return a + b; });
}
template <int Lanes = kWaveSize, typename T> DS4_DEVICE T maxLanes(T x) {
  if constexpr (kHasWaveExtremes && Lanes == kWaveSize && kIsSame<T, U32>)
    return largestOfWave(x);
  return reduceLanes<Lanes>(x, [](T a, T b) { return larger(a, b); });
}
template <int Lanes = kWaveSize, typename T> DS4_DEVICE T minLanes(T x) {
  if constexpr (kHasWaveExtremes && Lanes == kWaveSize && kIsSame<T, int>)
    return smallestOfWave(x);
  return reduceLanes<Lanes>(x, [](T a, T b) { return smaller(a, b); });
}

// One level of a scan: `total` is the sum over the aligned group of Mask lanes, `below` over its lanes below this one.
template <int Mask, typename T> DS4_DEVICE void addBelow(T &below, T &total) {
  T other = laneXor<Mask>(total);
  below += lane() & Mask ? other : T(0);
  total += other;
  if constexpr (2 * Mask < kWaveSize)
    addBelow<2 * Mask>(below, total);
}
// Sum over the lanes below this one; `total` gets the sum over all.
template <typename T> DS4_DEVICE T sumBelow(T x, T &total) {
  T below = 0;
  total = x;
  addBelow<1>(below, total);
  return below;
}

// Merges Count values of each of Lanes lanes (powers of two): lane l ends with value k * Lanes + l in values[k], or with value
// l mod Count. The tree is the same for every value and every Count.
template <int Lanes, int Bit = 1, int Count, typename Combine> DS4_DEVICE void mergeLanes(float (&values)[Count], Combine combine) {
  if constexpr (Bit < Lanes) {
    constexpr int kRest = Count > 1 ? Count / 2 : 1;
    float rest[kRest];
    if constexpr (Count == 1) {
      rest[0] = combine(values[0], laneXor<Bit>(values[0]));
    } else {
      bool odd = lane() & Bit;
#pragma unroll
      for (int i = 0; i < kRest; ++i) {
        float kept = odd ? values[2 * i + 1] : values[2 * i], sent = odd ? values[2 * i] : values[2 * i + 1];
        rest[i] = combine(kept, laneXor<Bit>(sent));
      }
    }
    mergeLanes<Lanes, 2 * Bit>(rest, combine);
#pragma unroll
    for (int i = 0; i < kRest; ++i)
      values[i] = rest[i];
  }
}

// Combines one value a wave over the workgroup; every lane of every wave gets the result. Waves is a power of two.
// `slots` is LDS of Waves values that nothing else uses; a workgroup of one wave neither reads nor writes it.
template <int Waves, typename T, typename Combine> DS4_DEVICE T reduceWaves(T x, T *slots, Combine combine) {
  if constexpr (Waves == 1)
    return x;
  if (lane() == 0)
    slots[wave()] = x;
  barrier();
  return reduceLanes<Waves>(slots[lane() % Waves], combine);
}
template <int Waves, typename T> DS4_DEVICE T sumWaves(T x, T *slots) {
  return reduceWaves<Waves>(x, slots, [](T a, T b) { return a + b; });
}
template <int Waves, typename T> DS4_DEVICE T maxWaves(T x, T *slots) {
  return reduceWaves<Waves>(x, slots, [](T a, T b) { return larger(a, b); });
}

// --- Memory. Addresses are a pointer that is the same in all lanes plus an unsigned 32-bit offset in bytes ---
// The compiler may not move accesses over this point: what is far away is asked for before what is needed first.
DS4_DEVICE void keepOrder() { asm volatile("" ::: "memory"); }
// `count` values of T from `base + offset`, which is a multiple of Align bytes; compiles to the widest loads.
template <int Align, typename T, int Count> DS4_DEVICE void load(T (&out)[Count], const void *base, U32 offset = 0) {
  loadAligned<Align>(out, static_cast<const Byte *>(base) + offset);
}
template <int Align, typename T, int Count> DS4_DEVICE void store(void *base, U32 offset, const T (&in)[Count]) {
  storeAligned<Align>(static_cast<Byte *>(base) + offset, in);
}
// The largest power of two, at most 16, that divides `bytes`: alignment of the rows of an aligned array.
DS4_DEVICE constexpr int alignmentOf(long long bytes) {
  return bytes % 16 == 0 ? 16 : bytes % 8 == 0 ? 8 : bytes % 4 == 0 ? 4 : bytes % 2 == 0 ? 2 : 1;
}

// Four bytes at base + offset + more; base and `more` are multiples of 4. One or two aligned words are read.
DS4_DEVICE U32 unalignedWord(const Byte *base, int offset, U32 more) {
  const U32 *words = reinterpret_cast<const U32 *>(base + more) + offset / 4;
  return offset % 4 ? alignBytes(words[1], words[0], offset % 4) : words[0];
}
// Eight numbers of three bits, one after another, as nibbles.
DS4_DEVICE U32 nibblesOfThrees(U32 x) { // a multiplication shifts and adds what a mask left
  x = (x & 0x00000fff) | (x << 4 & 0x0fff0000);
  x += (x & 0x0fc00fc0) * 3;
  return x + (x & 0x38383838);
}
// Byte `byte` of a word to bits 20 .. 27, with zeros elsewhere: as a float a scale byte (formats/scale_byte.h) over 2^119.
DS4_DEVICE U32 scaleBits(U32 word, int byte, U32 mask = 0x0ff00000) {
  return (byte < 3 ? word << (20 - 8 * byte) : word >> 4) & mask;
}

DS4_DEVICE float lowHalf(U32 pair) { return halfToFloat(static_cast<U16>(pair)); }
DS4_DEVICE float highHalf(U32 pair) { return halfToFloat(static_cast<U16>(pair >> 16)); }

// Values first .. first + 3, `first` a multiple of four, of floats or of halves.
template <typename X> DS4_DEVICE void loadFour(float (&values)[4], const X *from, U32 first) {
  if constexpr (sizeof(X) == 2) {
    U32 pairs[2];
    load<8>(pairs, from, first * 2);
#pragma unroll
    for (int i = 0; i < 4; ++i)
      values[i] = i % 2 ? highHalf(pairs[i / 2]) : lowHalf(pairs[i / 2]);
  } else {
    load<16>(values, from, first * 4);
  }
}

// --- Arithmetic ---
DS4_DEVICE float exp(float x) {
  constexpr float kLog2E = 1.44269504f, kLog2ETail = 1.92596299e-8f, kLn2 = 0.693147181f;
  float power = x * kLog2E;
  float rest = fma(x, kLog2ETail, fma(x, kLog2E, -power));
  float result = exp2(power);
  return power > -150.0f && power < 128.0f ? fma(result, rest * kLn2, result) : result; // infinities have no rest
}
// a / b, within an ulp; b is neither subnormal nor so large that its reciprocal is.
DS4_DEVICE float divide(float a, float b) {
  float inverse = reciprocal(b), quotient = a * inverse;
  return fma(fma(-quotient, b, a), inverse, quotient);
}
DS4_DEVICE float sigmoid(float x) { return reciprocal(1.0f + exp(-x)); }

// ln(1 + x) for x in [0, 1], by the series of 2 artanh(x / (2 + x)): its argument is at most 1/3.
DS4_DEVICE float log1pUnit(float x) {
  float s = x * reciprocal(2.0f + x), z = s * s;
  float series =
      fma(z, fma(z, fma(z, fma(z, fma(z, fma(z, 1.0f / 15, 1.0f / 13), 1.0f / 11), 1.0f / 9), 1.0f / 7), 1.0f / 5), 1.0f / 3);
  return 2.0f * fma(s * z, series, s);
}
DS4_DEVICE float softplus(float x) { return larger(x, 0.0f) + log1pUnit(exp(x > 0 ? -x : x)); }

// Sine and cosine of an angle in radians: pi/2 in three parts is taken off exactly, then Taylor series on +-pi/4.
DS4_DEVICE void sineCosine(float angle, float &sine, float &cosine) {
  float turns = rint(angle * 0.636619772f);
  float x = fma(turns, -1.57079637f, angle);
  x = fma(turns, 4.37113883e-8f, x);
  x = fma(turns, 1.71512451e-15f, x);
  float z = x * x;
  float s = fma(x * z, fma(z, fma(z, fma(z, 1.0f / 362880, -1.0f / 5040), 1.0f / 120), -1.0f / 6), x);
  float c = fma(z, fma(z, fma(z, fma(z, fma(z, -1.0f / 3628800, 1.0f / 40320), -1.0f / 720), 1.0f / 24), -0.5f), 1.0f);
  int quadrant = static_cast<int>(turns);
  bool swap = quadrant & 1;
  sine = floatOf(bitsOf(swap ? c : s) ^ static_cast<U32>(quadrant & 2) << 30);
  cosine = floatOf(bitsOf(swap ? s : c) ^ static_cast<U32>((quadrant + 1) & 2) << 30);
}

// Monotone map of floats to integers, -0 equal to +0; NaN gives 0, below every number (minus infinity: kMinusInfinityKey).
inline constexpr U32 kMinusInfinityKey = 0x007fffff;
DS4_DEVICE U32 orderedKey(float x) {
  U32 bits = bitsOf(x + 0.0f);
  U32 key = bits >> 31 ? ~bits : bits | 0x80000000u;
  return x == x ? key : 0;
}
// The float of a key that is not 0.
DS4_DEVICE float floatOfKey(U32 key) { return floatOf(key >> 31 ? key ^ 0x80000000u : ~key); }

} // namespace ds4
