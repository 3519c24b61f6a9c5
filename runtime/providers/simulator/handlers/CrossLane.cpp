// Instructions that move values between lanes, between lanes and scalar registers, or between registers that M0 names.
#include "runtime/providers/simulator/Fault.h"
#include "runtime/providers/simulator/handlers/Lanes.h"
#include "runtime/providers/simulator/handlers/Scalars.h"

namespace ds4::sim::DS4_SIM_ISA {
namespace {

bool isActive(const Wave &wave, int lane) { return (wave.exec() >> lane) & 1; }

// A lane of a register whatever EXEC says.
void readLane(Wave &wave, const Instruction &in) {
  const uint32_t lane = readScalar<uint32_t>(wave, in.src[1]) & 31;
  wave.setScalar(in.dst.reg, wave.vgpr(in.src[0].reg)[lane]);
}

// The lowest active lane; lane 0 if there is none.
void readFirstLane(Wave &wave, const Instruction &in) {
  const int lane = wave.exec() ? __builtin_ctz(wave.exec()) : 0;
  wave.setScalar(in.dst.reg, source<uint32_t>(wave, in, 0)[lane]);
}

void writeLane(Wave &wave, const Instruction &in) {
  const uint32_t lane = readScalar<uint32_t>(wave, in.src[1]) & 31;
  wave.vgpr(in.dst.reg)[lane] = readScalar<uint32_t>(wave, in.src[0]);
}

// Each lane names a lane of its own row of 16 (or of the other row) by four bits of a scalar pair. op_sel carries FI
// (read inactive lanes too) and BOUND_CTRL (0 instead of the old value where the source is inactive).
template <bool OtherRow> void permuteRow(Wave &wave, const Instruction &in) {
  const uint64_t selectors = readScalar<uint32_t>(wave, in.src[1]) | uint64_t(readScalar<uint32_t>(wave, in.src[2])) << 32;
  const bool fetchInactive = in.opSel & 1, zeroInactive = in.opSel & 2;
  const uint32_t *from = wave.vgpr(in.src[0].reg);
  Row result;
  uint32_t mask = wave.exec();
  for (int l = 0; l < kLanes; l++) {
    const int lane = ((l & 16) ^ (OtherRow ? 16 : 0)) | int((selectors >> (4 * (l & 15))) & 15);
    const bool readable = fetchInactive || isActive(wave, lane);
    result[l] = readable ? from[lane] : 0;
    if (!readable && !zeroInactive)
      mask &= ~(1u << l);
  }
  store(wave.vgpr(in.dst.reg), result, mask);
}

// Counts the mask bits of lower lanes. A wave of 32 lanes has none in the high half.
void countLowerLanes(Wave &wave, const Instruction &in) {
  const uint32_t *mask = source<uint32_t>(wave, in, 0), *addend = source<uint32_t>(wave, in, 1);
  Row result;
  for (int l = 0; l < kLanes; l++)
    result[l] = uint32_t(__builtin_popcount(mask[l] & ((1u << l) - 1))) + addend[l];
  store(wave.vgpr(in.dst.reg), result, writeMask(wave, in));
}

void exchange(Wave &wave, const Instruction &in) {
  uint32_t *a = wave.vgpr(in.dst.reg), *b = wave.vgpr(in.src[0].reg);
  Row oldA, oldB;
  memcpy(oldA.lane, a, sizeof oldA.lane);
  memcpy(oldB.lane, b, sizeof oldB.lane);
  store(a, oldB, wave.exec());
  store(b, oldA, wave.exec());
}

void exchangeHalves(Wave &wave, const Instruction &in) {
  const int shiftA = in.dst.high() ? 16 : 0, shiftB = in.src[0].high() ? 16 : 0;
  uint32_t *a = wave.vgpr(in.dst.reg), *b = wave.vgpr(in.src[0].reg);
  for (int l = 0; l < kLanes; l++) {
    if (!isActive(wave, l))
      continue;
    const uint32_t halfA = (a[l] >> shiftA) & 0xffff, halfB = (b[l] >> shiftB) & 0xffff;
    a[l] = (a[l] & ~(0xffffu << shiftA)) | halfB << shiftA;
    b[l] = (b[l] & ~(0xffffu << shiftB)) | halfA << shiftB;
  }
}

// Moves whose register index comes from M0: how compilers index arrays that live in registers.
struct Offsets {
  uint32_t source, destination;
};

// The _2 forms have one offset for each side, ten bits wide.
template <bool Split> Offsets offsetsOf(const Wave &wave) {
  const uint32_t m0 = wave.s[kM0];
  return Split ? Offsets{m0 & 0x3ff, (m0 >> 16) & 0x3ff} : Offsets{m0, m0};
}

uint32_t *vectorRegister(Wave &wave, uint32_t reg, uint32_t offset) {
  if (uint64_t(reg) + offset >= wave.vgprs)
    raiseFault(wave, FaultKind::Trap, 0, reg + uint64_t(offset), "relative access beyond the last vector register");
  return wave.vgpr(reg + offset);
}

uint32_t *scalarRegister(Wave &wave, uint32_t reg, uint32_t offset, uint32_t words) {
  if (uint64_t(reg) + offset + words > kVcc)
    raiseFault(wave, FaultKind::Trap, 0, reg + uint64_t(offset), "relative access beyond the last scalar register");
  return wave.s + reg + offset;
}

template <bool Source, bool Destination, bool Split> void moveVector(Wave &wave, const Instruction &in) {
  const Offsets offsets = offsetsOf<Split>(wave);
  const uint32_t *from = Source ? vectorRegister(wave, in.src[0].reg, offsets.source) : source<uint32_t>(wave, in, 0);
  Row row;
  memcpy(row.lane, from, sizeof row.lane);
  store(Destination ? vectorRegister(wave, in.dst.reg, offsets.destination) : wave.vgpr(in.dst.reg), row, wave.exec());
}

template <class T, bool Source, bool Destination, bool Split> void moveScalar(Wave &wave, const Instruction &in) {
  const Offsets offsets = offsetsOf<Split>(wave);
  constexpr uint32_t words = sizeof(T) / 4;
  T value = readScalar<T>(wave, in.src[0]);
  if constexpr (Source)
    memcpy(&value, scalarRegister(wave, in.src[0].reg, offsets.source, words), sizeof value);
  if constexpr (Destination)
    memcpy(scalarRegister(wave, in.dst.reg, offsets.destination, words), &value, sizeof value);
  else
    writeScalar(wave, in.dst, value);
}

// A wave of 32 lanes has no other half to exchange with.
void permuteHalves(Wave &, const Instruction &) {}

// LDS permutations: byte addresses of lanes, no memory involved. Inactive sources give 0.
void backwardPermute(Wave &wave, const Instruction &in) {
  const uint32_t *address = wave.vgpr(in.src[0].reg), *from = wave.vgpr(in.src[1].reg);
  Row result;
  for (int l = 0; l < kLanes; l++) {
    const int lane = int((address[l] + uint32_t(in.offset)) >> 2) & 31;
    result[l] = isActive(wave, lane) ? from[lane] : 0;
  }
  store(wave.vgpr(in.dst.reg), result, wave.exec());
}

// Where several lanes write to one, the highest wins.
void forwardPermute(Wave &wave, const Instruction &in) {
  const uint32_t *address = wave.vgpr(in.src[0].reg), *from = wave.vgpr(in.src[1].reg);
  Row result{};
  for (int l = 0; l < kLanes; l++)
    if (isActive(wave, l))
      result[((address[l] + uint32_t(in.offset)) >> 2) & 31] = from[l];
  store(wave.vgpr(in.dst.reg), result, wave.exec());
}

// Bits 15 and 14 of the pattern: 0x and/or/xor masks of the lane, 10 a permutation of each four, 11 a rotation.
int swizzledLane(uint32_t pattern, int lane) {
  if (!(pattern & 0x8000))
    return ((lane & int(pattern & 31)) | int((pattern >> 5) & 31)) ^ int((pattern >> 10) & 31);
  if (!(pattern & 0x4000))
    return (lane & ~3) | int((pattern >> (2 * (lane & 3))) & 3);
  const int keep = int(pattern & 31), distance = int((pattern >> 5) & 31);
  return (lane & keep) | ((lane + (pattern & 0x400 ? -distance : distance)) & ~keep & 31);
}

void swizzle(Wave &wave, const Instruction &in) {
  const uint32_t pattern = uint32_t(in.offset) & 0xffff;
  if (pattern >= 0xe000)
    raiseFault(wave, FaultKind::UnknownInstruction, 0, 0, "FFT swizzle");
  const uint32_t *from = wave.vgpr(in.src[0].reg);
  Row result;
  for (int l = 0; l < kLanes; l++) {
    const int lane = swizzledLane(pattern, l);
    result[l] = isActive(wave, lane) ? from[lane] : 0;
  }
  store(wave.vgpr(in.dst.reg), result, wave.exec());
}

} // namespace

void registerCrossLane(HandlerTable &table) {
  table.add("v_readlane_b32", {readLane, "UUU", 0});
  table.add("v_readfirstlane_b32", {readFirstLane, "UU", 0});
  table.add("v_writelane_b32", {writeLane, "UUU", 0});
  table.add("v_permlane16_b32", {permuteRow<false>, "UUUU", 0});
  table.add("v_permlanex16_b32", {permuteRow<true>, "UUUU", 0});
  table.add("v_permlane64_b32", {permuteHalves, "UU", 0});
  table.add("v_mbcnt_lo_u32_b32", {countLowerLanes, "UUU", 0});
  table.add("v_mbcnt_hi_u32_b32", lanes<[](uint32_t, uint32_t addend) -> uint32_t { return addend; }>());
  table.add("v_swap_b32", {exchange, "UU", 0});
  table.add("v_swap_b16", {exchangeHalves, "WW", 0});
  table.add("v_movrels_b32", {moveVector<true, false, false>, "UU", 0});
  table.add("v_movreld_b32", {moveVector<false, true, false>, "UU", 0});
  table.add("v_movrelsd_b32", {moveVector<true, true, false>, "UU", 0});
  table.add("v_movrelsd_2_b32", {moveVector<true, true, true>, "UU", 0});
  table.add("s_movrels_b32", {moveScalar<uint32_t, true, false, false>, "UU", 0});
  table.add("s_movrels_b64", {moveScalar<uint64_t, true, false, false>, "LL", 0});
  table.add("s_movreld_b32", {moveScalar<uint32_t, false, true, false>, "UU", 0});
  table.add("s_movreld_b64", {moveScalar<uint64_t, false, true, false>, "LL", 0});
  table.add("s_movrelsd_2_b32", {moveScalar<uint32_t, true, true, true>, "UU", 0});
  table.add("ds_bpermute_b32", {backwardPermute, "UUU", kMemory});
  table.add("ds_permute_b32", {forwardPermute, "UUU", kMemory});
  table.add("ds_swizzle_b32", {swizzle, "UU", kMemory});
}

} // namespace ds4::sim::DS4_SIM_ISA
