// Scratch: each lane's private memory, addressed by a vector offset, a scalar one, both or none.
#include "runtime/providers/simulator/handlers/Access.h"

namespace ds4::sim::DS4_SIM_ISA {

namespace {

struct ScratchAddress {
  const uint32_t *lane;
  int64_t base;
  ScratchAddress(const Wave &wave, const Instruction &in, int scalar)
      : lane(in.src[0].is(OperandKind::Vector) ? wave.vgpr(in.src[0].reg) : nullptr), base(in.offset) {
    if (in.src[scalar].is(OperandKind::Scalar) && in.src[scalar].reg != kNull)
      base += int32_t(wave.s[in.src[scalar].reg]);
  }
  int64_t at(int l) const { return base + (lane ? int64_t(int32_t(lane[l])) : 0); }
};

template <int Bytes, bool Signed, Part P> struct ScratchLoad {
  static void run(Wave &wave, const Instruction &in) {
    const ScratchAddress address(wave, in, 1);
    loadLanes<Bytes, Signed, P>(wave, in,
                                [&](int l, void *to) { memcpy(to, scratchPointer(wave, address.at(l), Bytes, l), Bytes); });
  }
};

template <int Bytes, Part P> struct ScratchStore {
  static void run(Wave &wave, const Instruction &in) {
    const ScratchAddress address(wave, in, 2);
    storeLanes<Bytes, P>(wave, in.src[1],
                         [&](int l, const void *from) { memcpy(scratchPointer(wave, address.at(l), Bytes, l), from, Bytes); });
  }
};

} // namespace

void registerScratchMemory(HandlerTable &t) {
  registerLoads<ScratchLoad>(t, {"scratch_load_u8", "scratch_load_i8", "scratch_load_u16", "scratch_load_i16", "scratch_load_b32",
                                 "scratch_load_b64", "scratch_load_b96", "scratch_load_b128", "scratch_load_d16_b16",
                                 "scratch_load_d16_hi_b16", "scratch_load_d16_u8", "scratch_load_d16_hi_u8", "scratch_load_d16_i8",
                                 "scratch_load_d16_hi_i8"});
  registerStores<ScratchStore>(t,
                               {"scratch_store_b8", "scratch_store_b16", "scratch_store_b32", "scratch_store_b64",
                                "scratch_store_b96", "scratch_store_b128", "scratch_store_d16_hi_b8", "scratch_store_d16_hi_b16"});
}

} // namespace ds4::sim::DS4_SIM_ISA
