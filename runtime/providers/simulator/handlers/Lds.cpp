// LDS loads and stores, single and paired. Atomics are in Atomics.cpp.
#include "runtime/providers/simulator/handlers/Access.h"

namespace ds4::sim::DS4_SIM_ISA {

namespace {

// Addresses of LDS are 32-bit offsets; they do not wrap.
inline uint32_t ldsOffset(const Wave &wave, const Instruction &in, int lane, uint32_t extra) {
  return wave.vgpr(in.src[0].reg)[lane] + extra;
}

// Lane offsets of an access that lies inside of LDS in all active lanes and is not observed; inactive lanes point at its
// beginning, so that a whole row may be read.
struct LdsOffsets {
  bool inside;
  Row lane;
  LdsOffsets(const Wave &wave, const Instruction &in, uint32_t extra, uint32_t bytes) {
    const Workgroup &group = *wave.group;
    const uint32_t *offsets = wave.vgpr(in.src[0].reg), mask = wave.exec();
    uint32_t largest = 0;
    for (int l = 0; l < kLanes; l++) {
      lane[l] = (mask >> l) & 1 ? offsets[l] : 0;
      largest = largest > lane[l] ? largest : lane[l];
    }
    inside = !group.shadow && uint64_t(largest) + extra + bytes <= group.ldsBytes;
  }
};

template <int Bytes> inline void gather(Wave &wave, const LdsOffsets &offsets, uint32_t extra, unsigned to) {
  constexpr int words = Bytes / 4;
  Row rows[words];
  const std::byte *base = wave.group->lds + extra;
  gatherWords<Bytes>(rows, [&](int l) { return base + offsets.lane[l]; });
  for (int k = 0; k < words; k++)
    store(wave.vgpr(to + k), rows[k], wave.exec());
}

template <int Bytes, bool Signed, Part P> struct LdsLoad {
  static void run(Wave &wave, const Instruction &in) {
    if constexpr (Bytes >= 4)
      if (const LdsOffsets offsets(wave, in, uint32_t(in.offset), Bytes); offsets.inside) {
        gather<Bytes>(wave, offsets, uint32_t(in.offset), in.dst.reg);
        return;
      }
    loadLanes<Bytes, Signed, P>(wave, in, [&](int l, void *to) {
      memcpy(to, ldsPointer(wave, ldsOffset(wave, in, l, uint32_t(in.offset)), Bytes, l, Access::Load), Bytes);
    });
  }
};

template <int Bytes, Part P> struct LdsStore {
  static void run(Wave &wave, const Instruction &in) {
    storeLanes<Bytes, P>(wave, in.src[1], [&](int l, const void *from) {
      memcpy(ldsPointer(wave, ldsOffset(wave, in, l, uint32_t(in.offset)), Bytes, l, Access::Store), from, Bytes);
    });
  }
};

// Two accesses at offset0 and offset1, which count in units of the access times Stride.
template <int Bytes, int Stride> void load2(Wave &wave, const Instruction &in) {
  constexpr int words = Bytes / 4;
  Row rows[2 * words];
  const uint32_t offsets[] = {uint32_t(in.offset) * Bytes * Stride, uint32_t(in.offset1) * Bytes * Stride};
  if (const LdsOffsets lanes(wave, in, offsets[0] > offsets[1] ? offsets[0] : offsets[1], Bytes); lanes.inside) {
    gather<Bytes>(wave, lanes, offsets[0], in.dst.reg);
    gather<Bytes>(wave, lanes, offsets[1], in.dst.reg + words);
    return;
  }
  forActive(wave.exec(), [&](int l) {
    for (int half = 0; half < 2; half++) {
      uint32_t x[words];
      memcpy(x, ldsPointer(wave, ldsOffset(wave, in, l, offsets[half]), Bytes, l, Access::Load), Bytes);
      for (int k = 0; k < words; k++)
        rows[half * words + k][l] = x[k];
    }
  });
  for (int k = 0; k < 2 * words; k++)
    store(wave.vgpr(in.dst.reg + k), rows[k], wave.exec());
}

template <int Bytes, int Stride> void store2(Wave &wave, const Instruction &in) {
  constexpr int words = Bytes / 4;
  const uint32_t offsets[] = {uint32_t(in.offset) * Bytes * Stride, uint32_t(in.offset1) * Bytes * Stride};
  forActive(wave.exec(), [&](int l) {
    for (int half = 0; half < 2; half++) {
      uint32_t x[words];
      for (int k = 0; k < words; k++)
        x[k] = wave.vgpr(in.src[1 + half].reg + k)[l];
      memcpy(ldsPointer(wave, ldsOffset(wave, in, l, offsets[half]), Bytes, l, Access::Store), x, Bytes);
    }
  });
}

// Addressed by M0 and the lane's number.
void loadByThread(Wave &wave, const Instruction &in) {
  Row row;
  const uint32_t base = (wave.s[kM0] & 0xffff) + uint32_t(in.offset);
  forActive(wave.exec(), [&](int l) { memcpy(&row[l], ldsPointer(wave, base + 4 * uint32_t(l), 4, l, Access::Load), 4); });
  store(wave.vgpr(in.dst.reg), row, wave.exec());
}

void storeByThread(Wave &wave, const Instruction &in) {
  const uint32_t base = (wave.s[kM0] & 0xffff) + uint32_t(in.offset);
  const uint32_t *data = wave.vgpr(in.src[0].reg);
  forActive(wave.exec(), [&](int l) { memcpy(ldsPointer(wave, base + 4 * uint32_t(l), 4, l, Access::Store), &data[l], 4); });
}

} // namespace

void registerLds(HandlerTable &t) {
  registerLoads<LdsLoad>(t, {"ds_load_u8", "ds_load_i8", "ds_load_u16", "ds_load_i16", "ds_load_b32", "ds_load_b64", "ds_load_b96",
                             "ds_load_b128", "ds_load_u16_d16", "ds_load_u16_d16_hi", "ds_load_u8_d16", "ds_load_u8_d16_hi",
                             "ds_load_i8_d16", "ds_load_i8_d16_hi"});
  registerStores<LdsStore>(t, {"ds_store_b8", "ds_store_b16", "ds_store_b32", "ds_store_b64", "ds_store_b96", "ds_store_b128",
                               "ds_store_b8_d16_hi", "ds_store_b16_d16_hi"});
  t.add("ds_load_2addr_b32", {load2<4, 1>, "U", kMemory});
  t.add("ds_load_2addr_b64", {load2<8, 1>, "U", kMemory});
  t.add("ds_load_2addr_stride64_b32", {load2<4, 64>, "U", kMemory});
  t.add("ds_load_2addr_stride64_b64", {load2<8, 64>, "U", kMemory});
  t.add("ds_store_2addr_b32", {store2<4, 1>, "U", kMemory | kNoDestination});
  t.add("ds_store_2addr_b64", {store2<8, 1>, "U", kMemory | kNoDestination});
  t.add("ds_store_2addr_stride64_b32", {store2<4, 64>, "U", kMemory | kNoDestination});
  t.add("ds_store_2addr_stride64_b64", {store2<8, 64>, "U", kMemory | kNoDestination});
  t.add("ds_load_addtid_b32", {loadByThread, "U", kMemory});
  t.add("ds_store_addtid_b32", {storeByThread, "U", kMemory | kNoDestination});
}

} // namespace ds4::sim::DS4_SIM_ISA
