// Flat loads and stores: the upper half of the address says whether a lane means LDS, its scratch or global memory.
#include "runtime/providers/simulator/handlers/Access.h"

namespace ds4::sim::DS4_SIM_ISA {

namespace {

// Where one lane's access goes, or null when it is global.
inline std::byte *localPointer(Wave &wave, uint64_t address, uint32_t bytes, int lane, Access access) {
  const uint32_t aperture = uint32_t(address >> 32);
  if (aperture == kSharedAperture)
    return ldsPointer(wave, uint32_t(address), bytes, lane, access);
  if (aperture == kPrivateAperture)
    return scratchPointer(wave, uint32_t(address), bytes, lane);
  return nullptr;
}

template <int Bytes, bool Signed, Part P> struct FlatLoad {
  static void run(Wave &wave, const Instruction &in) {
    const GlobalAddress address(wave, in, 1);
    loadLanes<Bytes, Signed, P>(wave, in, [&](int l, void *to) {
      if (const std::byte *local = localPointer(wave, address.lane[l], Bytes, l, Access::Load)) {
        memcpy(to, local, Bytes);
        return;
      }
      wave.worker->bytesLoaded += Bytes;
      if (wave.worker->observed) {
        observedLoad(wave, in, address.lane[l], Bytes, uint32_t(l), in.globallyCoherent, to);
        return;
      }
      findRange(wave, in, address.lane[l], Bytes, uint32_t(l));
      memcpy(to, reinterpret_cast<const void *>(address.lane[l]), Bytes);
    });
    if (wave.worker->observed)
      observedInstructionEnd(wave);
  }
};

template <int Bytes, Part P> struct FlatStore {
  static void run(Wave &wave, const Instruction &in) {
    const GlobalAddress address(wave, in, 2);
    storeLanes<Bytes, P>(wave, in.src[1], [&](int l, const void *from) {
      if (std::byte *local = localPointer(wave, address.lane[l], Bytes, l, Access::Store)) {
        memcpy(local, from, Bytes);
        return;
      }
      wave.worker->bytesStored += Bytes;
      wave.worker->memoryChanges++;
      if (wave.worker->observed) {
        observedStore(wave, in, address.lane[l], Bytes, uint32_t(l), from);
        return;
      }
      findRange(wave, in, address.lane[l], Bytes, uint32_t(l));
      memcpy(reinterpret_cast<void *>(address.lane[l]), from, Bytes);
    });
    if (wave.worker->observed)
      observedStoreEnd(wave);
  }
};

} // namespace

void registerFlatMemory(HandlerTable &t) {
  registerLoads<FlatLoad>(t, {"flat_load_u8", "flat_load_i8", "flat_load_u16", "flat_load_i16", "flat_load_b32", "flat_load_b64",
                              "flat_load_b96", "flat_load_b128", "flat_load_d16_b16", "flat_load_d16_hi_b16", "flat_load_d16_u8",
                              "flat_load_d16_hi_u8", "flat_load_d16_i8", "flat_load_d16_hi_i8"});
  registerStores<FlatStore>(t, {"flat_store_b8", "flat_store_b16", "flat_store_b32", "flat_store_b64", "flat_store_b96",
                                "flat_store_b128", "flat_store_d16_hi_b8", "flat_store_d16_hi_b16"});
}

} // namespace ds4::sim::DS4_SIM_ISA
