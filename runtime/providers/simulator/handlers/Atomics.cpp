// Read-modify-write of global, flat and LDS memory. Workgroups run on several threads, so global ones are atomics of the
// host; LDS belongs to one thread. Lanes act one after another in ascending order.
#include "runtime/providers/simulator/handlers/Access.h"
#include "runtime/providers/simulator/handlers/Numerics.h"

#include <algorithm>

namespace ds4::sim::DS4_SIM_ISA {

namespace {

enum class Space { Global, Flat, Lds };

// The data operand's value; 64-bit types take a register pair.
template <class T> inline T dataOf(const Wave &wave, unsigned reg, int l) {
  return laneValue<T>(wave.vgpr(reg), kIsPair<T> ? wave.vgpr(reg + 1) : nullptr, l);
}

// Where one lane's atomic acts. `shared` is false for memory that only this thread touches.
struct AtomicPlace {
  std::byte *pointer;
  bool shared;
};

inline void checkAlignment(Wave &wave, uint64_t address, uint32_t bytes, int lane) {
  if (address % bytes)
    raiseFault(wave, FaultKind::Misaligned, uint32_t(lane), address, "an atomic off its natural alignment", bytes);
}

inline AtomicPlace globalPlace(Wave &wave, const Instruction &in, uint64_t address, uint32_t bytes, int lane) {
  if (wave.worker->observed)
    observedAtomic(wave, in, address, bytes, uint32_t(lane));
  else
    findRange(wave, in, address, bytes, uint32_t(lane));
  wave.worker->bytesStored += bytes;
  return {reinterpret_cast<std::byte *>(address), true};
}

template <Space S>
inline AtomicPlace placeOf(Wave &wave, const Instruction &in, const GlobalAddress *address, uint32_t bytes, int lane) {
  if constexpr (S == Space::Lds) {
    const uint32_t offset = wave.vgpr(in.src[0].reg)[lane] + uint32_t(in.offset);
    checkAlignment(wave, offset, bytes, lane);
    return {ldsPointer(wave, offset, bytes, lane, Access::Atomic), false};
  }
  const uint64_t at = address->lane[lane];
  checkAlignment(wave, at, bytes, lane);
  const uint32_t aperture = uint32_t(at >> 32);
  if (S == Space::Flat && aperture == kSharedAperture)
    return {ldsPointer(wave, uint32_t(at), bytes, lane, Access::Atomic), false};
  if (S == Space::Flat && aperture == kPrivateAperture)
    return {scratchPointer(wave, uint32_t(at), bytes, lane), false};
  return globalPlace(wave, in, at, bytes, lane);
}

// Replaces the bits at `place` by next(bits) and returns the old ones.
template <class Bits, class Next> inline Bits exchange(AtomicPlace place, Next next) {
  auto *at = reinterpret_cast<Bits *>(place.pointer);
  Bits old = __atomic_load_n(at, __ATOMIC_RELAXED);
  if (!place.shared) {
    *at = next(old);
    return old;
  }
  while (!__atomic_compare_exchange_n(at, &old, next(old), false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
    ;
  return old;
}

// Runs Update(lane, old) -> new on each active lane's place and returns the old values where the instruction asks for them.
template <Space S, class T, class Update> inline void runAtomic(Wave &wave, const Instruction &in, Update update) {
  using Bits = BitsOf<sizeof(T)>;
  const uint32_t mask = wave.exec();
  Row low, high;
  const auto each = [&](const GlobalAddress *address) {
    forActive(mask, [&](int l) {
      Bits fresh = 0;
      const Bits old = exchange<Bits>(placeOf<S>(wave, in, address, sizeof(T), l),
                                      [&](Bits x) { return fresh = as<Bits>(T(update(l, as<T>(x)))); });
      wave.worker->memoryChanges += fresh != old;
      low[l] = uint32_t(old);
      high[l] = uint32_t(uint64_t(old) >> 32);
    });
  };
  if constexpr (S == Space::Lds) {
    each(nullptr);
  } else {
    const GlobalAddress address(wave, in, 2);
    each(&address);
    if (wave.worker->observed)
      observedInstructionEnd(wave);
  }
  if (!in.dst.is(OperandKind::Vector))
    return;
  store(wave.vgpr(in.dst.reg), low, mask);
  if constexpr (kIsPair<T>)
    store(wave.vgpr(in.dst.reg + 1), high, mask);
}

template <Space S, class T, auto F> void atomicHandler(Wave &wave, const Instruction &in) {
  runAtomic<S, T>(wave, in, [&](int l, T old) { return F(old, dataOf<T>(wave, in.src[1].reg, l)); });
}

// Global data hold the new value and then the one to compare with; LDS has them as two operands, new value first.
template <Space S, class T> void compareSwapHandler(Wave &wave, const Instruction &in) {
  const unsigned comparand = S == Space::Lds ? in.src[2].reg : in.src[1].reg + sizeof(T) / 4;
  runAtomic<S, T>(wave, in,
                  [&](int l, T old) { return old == dataOf<T>(wave, comparand, l) ? dataOf<T>(wave, in.src[1].reg, l) : old; });
}

// ds_mskor: old & ~mask | value.
template <class T> void maskedOrHandler(Wave &wave, const Instruction &in) {
  runAtomic<Space::Lds, T>(
      wave, in, [&](int l, T old) { return (old & ~dataOf<T>(wave, in.src[1].reg, l)) | dataOf<T>(wave, in.src[2].reg, l); });
}

template <class T> inline T increment(T old, T limit) { return old >= limit ? 0 : old + 1; }
template <class T> inline T decrement(T old, T limit) { return old == 0 || old > limit ? limit : old - 1; }

struct AtomicNames {
  const char *global, *flat, *lds;
};

template <class T, auto F> void addAtomic(HandlerTable &t, const AtomicNames &n) {
  constexpr uint8_t flags = kMemory | kNoDestination;
  if (n.global)
    t.add(n.global, {atomicHandler<Space::Global, T, F>, "U", flags});
  if (n.flat)
    t.add(n.flat, {atomicHandler<Space::Flat, T, F>, "U", flags});
  if (n.lds)
    t.add(n.lds, {atomicHandler<Space::Lds, T, F>, "U", flags});
}

template <class T> void addCompareSwap(HandlerTable &t, const AtomicNames &n) {
  constexpr uint8_t flags = kMemory | kNoDestination;
  t.add(n.global, {compareSwapHandler<Space::Global, T>, "U", flags});
  t.add(n.flat, {compareSwapHandler<Space::Flat, T>, "U", flags});
  t.add(n.lds, {compareSwapHandler<Space::Lds, T>, "U", flags});
}

void registerAtomics32(HandlerTable &t) {
  using U = uint32_t;
  using I = int32_t;
  addAtomic<U, [](U a, U b) -> U { return a + b; }>(t, {"global_atomic_add_u32", "flat_atomic_add_u32", "ds_add_u32"});
  addAtomic<U, [](U a, U b) -> U { return a - b; }>(t, {"global_atomic_sub_u32", "flat_atomic_sub_u32", "ds_sub_u32"});
  addAtomic<U, [](U a, U b) -> U { return a - b > a ? 0 : a - b; }>(t, {"global_atomic_csub_u32", nullptr, nullptr});
  addAtomic<U, [](U a, U b) -> U { return b - a; }>(t, {nullptr, nullptr, "ds_rsub_u32"});
  addAtomic<U, [](U a, U b) -> U { return a & b; }>(t, {"global_atomic_and_b32", "flat_atomic_and_b32", "ds_and_b32"});
  addAtomic<U, [](U a, U b) -> U { return a | b; }>(t, {"global_atomic_or_b32", "flat_atomic_or_b32", "ds_or_b32"});
  addAtomic<U, [](U a, U b) -> U { return a ^ b; }>(t, {"global_atomic_xor_b32", "flat_atomic_xor_b32", "ds_xor_b32"});
  addAtomic<U, [](U a, U b) -> U { return std::min(a, b); }>(t, {"global_atomic_min_u32", "flat_atomic_min_u32", "ds_min_u32"});
  addAtomic<U, [](U a, U b) -> U { return std::max(a, b); }>(t, {"global_atomic_max_u32", "flat_atomic_max_u32", "ds_max_u32"});
  addAtomic<I, [](I a, I b) -> I { return std::min(a, b); }>(t, {"global_atomic_min_i32", "flat_atomic_min_i32", "ds_min_i32"});
  addAtomic<I, [](I a, I b) -> I { return std::max(a, b); }>(t, {"global_atomic_max_i32", "flat_atomic_max_i32", "ds_max_i32"});
  addAtomic<U, [](U, U b) -> U { return b; }>(t, {"global_atomic_swap_b32", "flat_atomic_swap_b32", "ds_storexchg_b32"});
  addAtomic<U, [](U a, U b) -> U { return increment(a, b); }>(t, {"global_atomic_inc_u32", "flat_atomic_inc_u32", "ds_inc_u32"});
  addAtomic<U, [](U a, U b) -> U { return decrement(a, b); }>(t, {"global_atomic_dec_u32", "flat_atomic_dec_u32", "ds_dec_u32"});
  addCompareSwap<U>(t, {"global_atomic_cmpswap_b32", "flat_atomic_cmpswap_b32", "ds_cmpstore_b32"});
  t.add("ds_mskor_b32", {maskedOrHandler<U>, "U", kMemory | kNoDestination});
}

void registerAtomics64(HandlerTable &t) {
  using U = uint64_t;
  using I = int64_t;
  addAtomic<U, [](U a, U b) -> U { return a + b; }>(t, {"global_atomic_add_u64", "flat_atomic_add_u64", "ds_add_u64"});
  addAtomic<U, [](U a, U b) -> U { return a - b; }>(t, {"global_atomic_sub_u64", "flat_atomic_sub_u64", "ds_sub_u64"});
  addAtomic<U, [](U a, U b) -> U { return b - a; }>(t, {nullptr, nullptr, "ds_rsub_u64"});
  addAtomic<U, [](U a, U b) -> U { return a & b; }>(t, {"global_atomic_and_b64", "flat_atomic_and_b64", "ds_and_b64"});
  addAtomic<U, [](U a, U b) -> U { return a | b; }>(t, {"global_atomic_or_b64", "flat_atomic_or_b64", "ds_or_b64"});
  addAtomic<U, [](U a, U b) -> U { return a ^ b; }>(t, {"global_atomic_xor_b64", "flat_atomic_xor_b64", "ds_xor_b64"});
  addAtomic<U, [](U a, U b) -> U { return std::min(a, b); }>(t, {"global_atomic_min_u64", "flat_atomic_min_u64", "ds_min_u64"});
  addAtomic<U, [](U a, U b) -> U { return std::max(a, b); }>(t, {"global_atomic_max_u64", "flat_atomic_max_u64", "ds_max_u64"});
  addAtomic<I, [](I a, I b) -> I { return std::min(a, b); }>(t, {"global_atomic_min_i64", "flat_atomic_min_i64", "ds_min_i64"});
  addAtomic<I, [](I a, I b) -> I { return std::max(a, b); }>(t, {"global_atomic_max_i64", "flat_atomic_max_i64", "ds_max_i64"});
  addAtomic<U, [](U, U b) -> U { return b; }>(t, {"global_atomic_swap_b64", "flat_atomic_swap_b64", "ds_storexchg_b64"});
  addAtomic<U, [](U a, U b) -> U { return increment(a, b); }>(t, {"global_atomic_inc_u64", "flat_atomic_inc_u64", "ds_inc_u64"});
  addAtomic<U, [](U a, U b) -> U { return decrement(a, b); }>(t, {"global_atomic_dec_u64", "flat_atomic_dec_u64", "ds_dec_u64"});
  addCompareSwap<U>(t, {"global_atomic_cmpswap_b64", "flat_atomic_cmpswap_b64", "ds_cmpstore_b64"});
  t.add("ds_mskor_b64", {maskedOrHandler<U>, "U", kMemory | kNoDestination});
}

} // namespace

void registerAtomics(HandlerTable &t) {
  using F = float;
  registerAtomics32(t);
  registerAtomics64(t);
  addAtomic<F, [](F a, F b) -> F { return a + b; }>(t, {"global_atomic_add_f32", "flat_atomic_add_f32", "ds_add_f32"});
  addAtomic<F, [](F a, F b) -> F { return minNumber(a, b); }>(t, {"global_atomic_min_f32", "flat_atomic_min_f32", "ds_min_f32"});
  addAtomic<F, [](F a, F b) -> F { return maxNumber(a, b); }>(t, {"global_atomic_max_f32", "flat_atomic_max_f32", "ds_max_f32"});
  addAtomic<double, [](double a, double b) -> double { return minNumber(a, b); }>(t, {nullptr, nullptr, "ds_min_f64"});
  addAtomic<double, [](double a, double b) -> double { return maxNumber(a, b); }>(t, {nullptr, nullptr, "ds_max_f64"});
  addCompareSwap<F>(t, {"global_atomic_cmpswap_f32", "flat_atomic_cmpswap_f32", "ds_cmpstore_f32"});
}

} // namespace ds4::sim::DS4_SIM_ISA
