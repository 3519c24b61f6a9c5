// Operand access and the generic vector handlers: a handler is made from a function of one lane's values, and the loop
// over the 32 lanes is the compiler's to vectorise.
//
//   table.add("v_add_f32", lanes<[](float a, float b) -> float { return a + b; }>());
//
// Parameter and result types choose how operands are read: 16-bit types take the half that op_sel or .l/.h names and a
// 16-bit result keeps the other half of its register; 64-bit types take register pairs. All sources are read before
// the destination is written. Inactive lanes keep their destination. Neg, abs, clamp, output modifier and DPP are applied here.
#pragma once

#include <bit>
#include <cmath>
#include <cstring>
#include <immintrin.h>
#include <type_traits>
#include <utility>

#include "runtime/providers/simulator/handlers/Families.h"

namespace ds4::sim::DS4_SIM_ISA {

using Half = _Float16;

template <class T> constexpr bool kIsFloat = std::is_same_v<T, float> || std::is_same_v<T, Half> || std::is_same_v<T, double>;
template <class T> constexpr bool kIsPair = sizeof(T) == 8;
template <size_t N> using BitsOf = std::conditional_t<N == 8, uint64_t, std::conditional_t<N == 4, uint32_t, uint16_t>>;

template <class To, class From> constexpr To as(From x) { return __builtin_bit_cast(To, x); }

// One row of 32 words, aligned for vector access.
struct alignas(64) Row {
  uint32_t lane[kLanes];
  uint32_t &operator[](int l) { return lane[l]; }
  uint32_t operator[](int l) const { return lane[l]; }
};

// Lanes whose DPP source exists and, unless FI is set, is active.
inline uint32_t dppReadable(const Wave &wave, const Instruction &in) {
  uint32_t readable = in.dppValidLanes;
  const uint32_t exec = wave.exec();
  if (in.fetchInactive || exec == ~0u)
    return readable;
  uint32_t active = 0;
  for (int l = 0; l < kLanes; l++)
    active |= ((exec >> in.lanePermutation[l]) & 1) << l;
  return readable & active;
}

inline const uint32_t *permuted(Wave &wave, const Instruction &in, const uint32_t *from, uint32_t *to) {
  const uint32_t readable = dppReadable(wave, in);
  Row row;
  for (int l = 0; l < kLanes; l++)
    row[l] = from[in.lanePermutation[l]];
  for (int l = 0; l < kLanes; l++)
    to[l] = (readable >> l) & 1 ? row[l] : 0;
  return to;
}

template <class T> inline const uint32_t *modified(const Operand &operand, const uint32_t *from, uint32_t *to, int word) {
  const int shift = operand.high() && sizeof(T) == 2 ? 16 : 0;
  const uint32_t sign = kIsPair<T> && word == 0 ? 0 : sizeof(T) == 2 ? 0x8000u : 0x80000000u;
  const uint32_t keep = operand.modifiers & Operand::Absolute ? ~sign : ~0u;
  const uint32_t flip = operand.modifiers & Operand::Negate ? sign : 0;
  for (int l = 0; l < kLanes; l++)
    to[l] = ((from[l] >> shift) & keep) ^ flip;
  return to;
}

// The 32 values of source k (word 0 or 1 of a pair) with DPP and modifiers applied. The row is valid until the next
// instruction; a plain vector register is returned in place.
template <class T> inline const uint32_t *source(Wave &wave, const Instruction &in, int k, int word = 0) {
  const Operand &operand = in.src[k];
  uint32_t *staging = wave.staging[k * 2 + word];
  const uint32_t *row;
  if (operand.kind == OperandKind::Vector) {
    row = wave.vgpr(operand.reg + word);
  } else if (operand.kind == OperandKind::Constant) {
    row = operand.row + word * kLanes;
  } else {
    const uint32_t value = operand.reg == kNull ? 0 : wave.s[operand.reg + word];
    for (int l = 0; l < kLanes; l++)
      staging[l] = value;
    row = staging;
  }
  if (k == 0 && __builtin_expect(in.dpp, false))
    row = permuted(wave, in, row, staging);
  if (__builtin_expect(operand.modifiers, 0))
    row = modified<T>(operand, row, staging, word);
  return row;
}

template <class T> inline T laneValue(const uint32_t *low, const uint32_t *high, int l) {
  if constexpr (kIsPair<T>)
    return as<T>(uint64_t(low[l]) | uint64_t(high[l]) << 32);
  else if constexpr (sizeof(T) == 2)
    return as<T>(uint16_t(low[l]));
  else
    return as<T>(low[l]);
}

// Lanes an instruction writes: EXEC, less what DPP's masks and unreadable sources take away.
inline uint32_t writeMask(const Wave &wave, const Instruction &in) {
  uint32_t mask = wave.exec();
  if (__builtin_expect(in.dpp, false)) {
    mask &= in.dppWriteMask;
    if (!in.boundControl)
      mask &= dppReadable(wave, in);
  }
  return mask;
}

inline void store(uint32_t *to, const Row &row, uint32_t mask) {
  if (mask == ~0u) {
    memcpy(to, row.lane, sizeof row.lane);
    return;
  }
#ifdef __AVX512F__
  _mm512_mask_storeu_epi32(to, __mmask16(mask), _mm512_load_si512(row.lane));
  _mm512_mask_storeu_epi32(to + 16, __mmask16(mask >> 16), _mm512_load_si512(row.lane + 16));
#else
  for (int l = 0; l < kLanes; l++)
    to[l] = (mask >> l) & 1 ? row[l] : to[l];
#endif
}

// Bit l is set where row[l] is not 0.
inline uint32_t nonZeroLanes(const Row &row) {
#ifdef __AVX512F__
  const __m512i low = _mm512_load_si512(row.lane), high = _mm512_load_si512(row.lane + 16);
  return _mm512_test_epi32_mask(low, low) | uint32_t(_mm512_test_epi32_mask(high, high)) << 16;
#else
  uint32_t mask = 0;
  const __m256i zero = _mm256_setzero_si256();
  for (int part = 0; part < 4; part++) {
    const __m256i x = _mm256_load_si256(reinterpret_cast<const __m256i *>(row.lane) + part);
    mask |= uint32_t(~_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(x, zero))) & 0xff) << (8 * part);
  }
  return mask;
#endif
}

template <class T> inline T clampUnit(T x) { return x != x ? T(0) : x < T(0) ? T(0) : x > T(1) ? T(1) : x; }

template <class R> inline void applyOutputModifiers(const Instruction &in, Row &low, Row &high) {
  for (int l = 0; l < kLanes; l++) {
    R x = laneValue<R>(low.lane, high.lane, l);
    x *= in.outputModifier == 1 ? R(2) : in.outputModifier == 2 ? R(4) : in.outputModifier == 3 ? R(0.5) : R(1);
    if (in.clamp)
      x = clampUnit(x);
    const auto bits = as<BitsOf<sizeof(R)>>(x);
    low[l] = uint32_t(bits);
    if constexpr (kIsPair<R>)
      high[l] = uint32_t(bits >> 32);
  }
}

// Writes a row of results of type R to the destination, 16-bit results into their half.
template <class R> inline void writeResult(Wave &wave, const Instruction &in, Row &low, Row &high, uint32_t mask) {
  uint32_t *to = wave.vgpr(in.dst.reg);
  if constexpr (sizeof(R) == 2) {
    if (in.dst.high())
      for (int l = 0; l < kLanes; l++)
        low[l] = (to[l] & 0xffffu) | low[l] << 16;
    else
      for (int l = 0; l < kLanes; l++)
        low[l] = (to[l] & 0xffff0000u) | (low[l] & 0xffffu);
  }
  store(to, low, mask);
  if constexpr (kIsPair<R>)
    store(wave.vgpr(in.dst.reg + 1), high, mask);
}

template <auto F, class R, class... A, size_t... I>
inline void runLanes(Wave &wave, const Instruction &in, R (*)(A...), std::index_sequence<I...>) {
  const uint32_t *low[] = {source<A>(wave, in, I, 0)...};
  const uint32_t *high[] = {(kIsPair<A> ? source<A>(wave, in, I, 1) : nullptr)...};
  Row resultLow, resultHigh;
  for (int l = 0; l < kLanes; l++) {
    const auto bits = as<BitsOf<sizeof(R)>>(R(F(laneValue<A>(low[I], high[I], l)...)));
    resultLow[l] = uint32_t(bits);
    if constexpr (kIsPair<R>)
      resultHigh[l] = uint32_t(bits >> 32);
  }
  if constexpr (kIsFloat<R>)
    if (__builtin_expect(in.clamp | in.outputModifier, 0))
      applyOutputModifiers<R>(in, resultLow, resultHigh);
  writeResult<R>(wave, in, resultLow, resultHigh, writeMask(wave, in));
}

template <auto F, class R, class... A> inline void runLanes(Wave &wave, const Instruction &in, R (*signature)(A...)) {
  runLanes<F>(wave, in, signature, std::index_sequence_for<A...>{});
}

template <class T> constexpr char typeLetter() {
  if constexpr (std::is_same_v<T, float>)
    return 'F';
  else if constexpr (std::is_same_v<T, Half>)
    return 'H';
  else if constexpr (std::is_same_v<T, double>)
    return 'D';
  else
    return sizeof(T) == 8 ? 'L' : sizeof(T) == 2 ? 'W' : 'U';
}

template <class... T> inline constexpr char kTypeLetters[] = {typeLetter<T>()..., 0};
template <class R, class... A> constexpr const char *typesOf(R (*)(A...)) { return kTypeLetters<R, A...>; }

template <auto F> static void lanesHandler(Wave &wave, const Instruction &in) { runLanes<F>(wave, in, +F); }

// HandlerInfo of a function of one lane. Pass kAccumulates where the destination is the last parameter.
template <auto F> HandlerInfo lanes(uint8_t flags = 0) { return {lanesHandler<F>, typesOf(+F), flags}; }

} // namespace ds4::sim::DS4_SIM_ISA
