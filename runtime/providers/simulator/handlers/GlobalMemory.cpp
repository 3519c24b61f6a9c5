// Loads and stores of global memory. One bounds check covers a whole wave where all its addresses fall into one range.
#include "runtime/providers/simulator/handlers/Access.h"

namespace ds4::sim::DS4_SIM_ISA {

namespace {

// True when [smallest, largest + bytes) of the active lanes lies in one range. Addresses of inactive lanes are replaced by
// an active one's, so that a whole row may be read.
inline bool checkTogether(Wave &wave, const Instruction &in, GlobalAddress &address, uint32_t mask, uint32_t bytes) {
  if (mask != ~0u) {
    const uint64_t stand = address.lane[__builtin_ctz(mask)];
    for (int l = 0; l < kLanes; l++)
      address.lane[l] = (mask >> l) & 1 ? address.lane[l] : stand;
  }
  uint64_t smallest = ~uint64_t(0), largest = 0;
  for (int l = 0; l < kLanes; l++) {
    smallest = smallest < address.lane[l] ? smallest : address.lane[l];
    largest = largest > address.lane[l] ? largest : address.lane[l];
  }
  const Worker &worker = *wave.worker;
  const uint64_t extent = largest - smallest + bytes;
  return extent >= bytes &&
         (worker.ranges[worker.rangeHint[in.index]].contains(smallest, extent) || inOneRange(wave, in, smallest, extent));
}

inline std::byte *lanePointer(Wave &wave, const Instruction &in, uint64_t address, uint32_t bytes, int lane) {
  findRange(wave, in, address, bytes, uint32_t(lane));
  return reinterpret_cast<std::byte *>(address);
}

template <int Bytes> inline void gather(Wave &wave, const Instruction &in, const GlobalAddress &address, uint32_t mask) {
  constexpr int words = Bytes / 4;
  Row rows[words];
  gatherWords<Bytes>(rows, [&](int l) { return reinterpret_cast<const std::byte *>(address.lane[l]); });
  for (int k = 0; k < words; k++)
    store(wave.vgpr(in.dst.reg + k), rows[k], mask);
}

template <int Bytes, bool Signed, Part P> struct GlobalLoad {
  static void run(Wave &wave, const Instruction &in) {
    const uint32_t mask = wave.exec();
    if (!mask)
      return;
    GlobalAddress address(wave, in, 1);
    wave.worker->bytesLoaded += uint64_t(__builtin_popcount(mask)) * Bytes;
    if (__builtin_expect(wave.worker->observed, false)) {
      loadLanes<Bytes, Signed, P>(
          wave, in, [&](int l, void *to) { observedLoad(wave, in, address.lane[l], Bytes, uint32_t(l), in.globallyCoherent, to); });
      observedInstructionEnd(wave);
      return;
    }
    if (!checkTogether(wave, in, address, mask, Bytes)) {
      loadLanes<Bytes, Signed, P>(wave, in,
                                  [&](int l, void *to) { memcpy(to, lanePointer(wave, in, address.lane[l], Bytes, l), Bytes); });
      return;
    }
    if constexpr (Bytes >= 4)
      gather<Bytes>(wave, in, address, mask);
    else
      loadLanes<Bytes, Signed, P>(wave, in,
                                  [&](int l, void *to) { memcpy(to, reinterpret_cast<const void *>(address.lane[l]), Bytes); });
  }
};

template <int Bytes, Part P> struct GlobalStore {
  static void run(Wave &wave, const Instruction &in) {
    const uint32_t mask = wave.exec();
    if (!mask)
      return;
    GlobalAddress address(wave, in, 2);
    wave.worker->bytesStored += uint64_t(__builtin_popcount(mask)) * Bytes;
    wave.worker->memoryChanges++;
    if (__builtin_expect(wave.worker->observed, false)) {
      storeLanes<Bytes, P>(wave, in.src[1],
                           [&](int l, const void *from) { observedStore(wave, in, address.lane[l], Bytes, uint32_t(l), from); });
      observedStoreEnd(wave);
      return;
    }
    const bool together = checkTogether(wave, in, address, mask, Bytes);
    storeLanes<Bytes, P>(wave, in.src[1], [&](int l, const void *from) {
      if (!together)
        findRange(wave, in, address.lane[l], Bytes, uint32_t(l));
      memcpy(reinterpret_cast<void *>(address.lane[l]), from, Bytes);
    });
  }
};

} // namespace

void registerGlobalMemory(HandlerTable &t) {
  registerLoads<GlobalLoad>(t, {"global_load_u8", "global_load_i8", "global_load_u16", "global_load_i16", "global_load_b32",
                                "global_load_b64", "global_load_b96", "global_load_b128", "global_load_d16_b16",
                                "global_load_d16_hi_b16", "global_load_d16_u8", "global_load_d16_hi_u8", "global_load_d16_i8",
                                "global_load_d16_hi_i8"});
  registerStores<GlobalStore>(t, {"global_store_b8", "global_store_b16", "global_store_b32", "global_store_b64", "global_store_b96",
                                  "global_store_b128", "global_store_d16_hi_b8", "global_store_d16_hi_b16"});
}

} // namespace ds4::sim::DS4_SIM_ISA
