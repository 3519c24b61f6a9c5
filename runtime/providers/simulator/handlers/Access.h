// Per-lane addresses of vector memory instructions, and the loads and stores that the address spaces share.
//
// A Space turns lane addresses into host pointers and checks them: Global, Flat, Scratch and Lds below. Loads and
// stores of every width are written once over them.
#pragma once

#include "runtime/providers/simulator/Fault.h"
#include "runtime/providers/simulator/Worker.h"
#include "runtime/providers/simulator/handlers/Lanes.h"

namespace ds4::sim::DS4_SIM_ISA {

// src[0] is the vector address, and src[Scalar] the scalar base where the text has one.
struct GlobalAddress {
  alignas(64) uint64_t lane[kLanes];
  GlobalAddress(const Wave &wave, const Instruction &in, int scalar) {
    const uint32_t *low = wave.vgpr(in.src[0].reg);
    const Operand &base = in.src[scalar];
    const uint64_t offset = uint64_t(int64_t(in.offset));
    if (base.is(OperandKind::Scalar) && base.reg != kNull) {
      const uint64_t from = wave.scalar64(base.reg) + offset;
      for (int l = 0; l < kLanes; l++)
        lane[l] = from + low[l];
    } else {
      const uint32_t *high = wave.vgpr(in.src[0].reg + 1);
      for (int l = 0; l < kLanes; l++)
        lane[l] = (uint64_t(low[l]) | uint64_t(high[l]) << 32) + offset;
    }
  }
};

inline std::byte *ldsPointer(Wave &wave, uint32_t offset, uint32_t bytes, int lane, Access access) {
  const Workgroup &group = *wave.group;
  if (__builtin_expect(uint64_t(offset) + bytes > group.ldsBytes, false))
    raiseFault(wave, FaultKind::LdsOutOfBounds, uint32_t(lane), offset, "an access outside of the workgroup's LDS,", bytes);
  if (__builtin_expect(group.shadow != nullptr, false))
    observedLds(wave, offset, bytes, uint32_t(lane), access);
  return group.lds + offset;
}

inline std::byte *scratchPointer(Wave &wave, int64_t offset, uint32_t bytes, int lane) {
  if (__builtin_expect(offset < 0 || offset + bytes > wave.scratchBytes, false))
    raiseFault(wave, FaultKind::ScratchOutOfBounds, uint32_t(lane), uint64_t(offset), "an access outside of the lane's scratch,",
               bytes);
  return wave.scratch + size_t(lane) * wave.scratchBytes + offset;
}

template <class Body> inline void forActive(uint32_t mask, Body body) {
  for (uint32_t rest = mask; rest; rest &= rest - 1)
    body(__builtin_ctz(rest));
}

// Which half of the destination a 16-bit load fills, or of the data register a 16-bit store takes.
enum class Part { Whole, Low, High };

constexpr int wordsOf(int bytes) { return bytes < 4 ? 1 : bytes / 4; }

// One lane's loaded bytes as its destination words, extended or merged as the mnemonic says.
template <int Bytes, bool Signed, Part P> inline uint32_t extended(uint32_t raw, uint32_t old) {
  uint32_t x = raw;
  if constexpr (Bytes == 1)
    x = Signed ? uint32_t(int32_t(int8_t(raw))) : raw & 0xff;
  else if constexpr (Bytes == 2)
    x = Signed ? uint32_t(int32_t(int16_t(raw))) : raw & 0xffff;
  if constexpr (P == Part::Low)
    x = (old & 0xffff0000u) | (x & 0xffff);
  else if constexpr (P == Part::High)
    x = (old & 0xffffu) | x << 16;
  return x;
}

// Calls read(lane, bytes, to) for each active lane and writes the destination registers.
template <int Bytes, bool Signed, Part P, class Read> inline void loadLanes(Wave &wave, const Instruction &in, Read read) {
  constexpr int words = wordsOf(Bytes);
  const uint32_t mask = wave.exec();
  Row rows[words];
  const uint32_t *old = wave.vgpr(in.dst.reg);
  forActive(mask, [&](int l) {
    uint32_t x[words] = {};
    read(l, x);
    x[0] = extended<Bytes, Signed, P>(x[0], old[l]);
    if (P == Part::Whole && Bytes <= 2 && in.dst.half) // a destination named v1.l or v1.h keeps its other half
      x[0] = in.dst.high() ? (old[l] & 0xffffu) | x[0] << 16 : (old[l] & 0xffff0000u) | (x[0] & 0xffff);
    for (int k = 0; k < words; k++)
      rows[k][l] = x[k];
  });
  for (int k = 0; k < words; k++)
    store(wave.vgpr(in.dst.reg + k), rows[k], mask);
}

// Calls write(lane, from) for each active lane with its data.
template <int Bytes, Part P, class Write> inline void storeLanes(Wave &wave, const Operand &data, Write write) {
  constexpr int words = wordsOf(Bytes);
  const uint32_t shift = P == Part::High || data.high() ? 16 : 0;
  forActive(wave.exec(), [&](int l) {
    uint32_t x[words];
    for (int k = 0; k < words; k++)
      x[k] = wave.vgpr(data.reg + k)[l];
    x[0] >>= shift;
    write(l, x);
  });
}

// Reads Bytes, a multiple of 4, from each lane's pointer into rows of words. Four lanes of 16 bytes are transposed in registers.
template <int Bytes, class Pointer> inline void gatherWords(Row *rows, Pointer pointer) {
  if constexpr (Bytes == 16) {
    for (int l = 0; l < kLanes; l += 4) {
      const auto lane = [&](int k) { return _mm_loadu_ps(reinterpret_cast<const float *>(pointer(l + k))); };
      __m128 a = lane(0), b = lane(1), c = lane(2), d = lane(3);
      _MM_TRANSPOSE4_PS(a, b, c, d);
      const auto put = [&](int k, __m128 words) { _mm_store_ps(reinterpret_cast<float *>(rows[k].lane + l), words); };
      put(0, a), put(1, b), put(2, c), put(3, d);
    }
  } else {
    for (int l = 0; l < kLanes; l++)
      for (int k = 0; k < Bytes / 4; k++)
        memcpy(&rows[k][l], pointer(l) + 4 * k, 4);
  }
}

// Mnemonics of one address space in the order in which registerLoads and registerStores take them.
struct LoadNames {
  const char *u8, *i8, *u16, *i16, *b32, *b64, *b96, *b128, *lowB16, *highB16, *lowU8, *highU8, *lowI8, *highI8;
};
struct StoreNames {
  const char *b8, *b16, *b32, *b64, *b96, *b128, *highB8, *highB16;
};

template <template <int, bool, Part> class Load> void registerLoads(HandlerTable &t, const LoadNames &n) {
  t.add(n.u8, {Load<1, false, Part::Whole>::run, "U", kMemory});
  t.add(n.i8, {Load<1, true, Part::Whole>::run, "U", kMemory});
  t.add(n.u16, {Load<2, false, Part::Whole>::run, "U", kMemory});
  t.add(n.i16, {Load<2, true, Part::Whole>::run, "U", kMemory});
  t.add(n.b32, {Load<4, false, Part::Whole>::run, "U", kMemory});
  t.add(n.b64, {Load<8, false, Part::Whole>::run, "U", kMemory});
  t.add(n.b96, {Load<12, false, Part::Whole>::run, "U", kMemory});
  t.add(n.b128, {Load<16, false, Part::Whole>::run, "U", kMemory});
  t.add(n.lowB16, {Load<2, false, Part::Low>::run, "U", kMemory});
  t.add(n.highB16, {Load<2, false, Part::High>::run, "U", kMemory});
  t.add(n.lowU8, {Load<1, false, Part::Low>::run, "U", kMemory});
  t.add(n.highU8, {Load<1, false, Part::High>::run, "U", kMemory});
  t.add(n.lowI8, {Load<1, true, Part::Low>::run, "U", kMemory});
  t.add(n.highI8, {Load<1, true, Part::High>::run, "U", kMemory});
}

template <template <int, Part> class Store> void registerStores(HandlerTable &t, const StoreNames &n) {
  t.add(n.b8, {Store<1, Part::Whole>::run, "U", kMemory | kNoDestination});
  t.add(n.b16, {Store<2, Part::Whole>::run, "U", kMemory | kNoDestination});
  t.add(n.b32, {Store<4, Part::Whole>::run, "U", kMemory | kNoDestination});
  t.add(n.b64, {Store<8, Part::Whole>::run, "U", kMemory | kNoDestination});
  t.add(n.b96, {Store<12, Part::Whole>::run, "U", kMemory | kNoDestination});
  t.add(n.b128, {Store<16, Part::Whole>::run, "U", kMemory | kNoDestination});
  t.add(n.highB8, {Store<1, Part::High>::run, "U", kMemory | kNoDestination});
  t.add(n.highB16, {Store<2, Part::High>::run, "U", kMemory | kNoDestination});
}

} // namespace ds4::sim::DS4_SIM_ISA
