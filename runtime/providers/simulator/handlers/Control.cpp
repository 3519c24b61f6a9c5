// Branches, calls, barriers, waits and mode changes.
#include "runtime/providers/simulator/Fault.h"
#include "runtime/providers/simulator/FloatMode.h"
#include "runtime/providers/simulator/Worker.h"
#include "runtime/providers/simulator/handlers/Scalars.h"

namespace ds4::sim::DS4_SIM_ISA {

namespace {

enum class When { Always, Scc0, Scc1, Vccz, Vccnz, Execz, Execnz };

template <When C> void branch(Wave &wave, const Instruction &in) {
  const bool taken = C == When::Always  ? true
                     : C == When::Scc0  ? !wave.scc()
                     : C == When::Scc1  ? wave.scc()
                     : C == When::Vccz  ? !wave.s[kVcc]
                     : C == When::Vccnz ? wave.s[kVcc]
                     : C == When::Execz ? !wave.exec()
                                        : wave.exec();
  if (taken)
    wave.next = in.target;
}

void nothing(Wave &, const Instruction &) {}
void end(Wave &wave, const Instruction &) {
  waitForStores(wave);
  wave.stop(WaveState::Ended);
}
void barrier(Wave &wave, const Instruction &) { wave.stop(WaveState::AtBarrier); }

void getPc(Wave &wave, const Instruction &in) { writeScalar<uint64_t>(wave, in.dst, addressOf(wave, wave.next)); }
void setPc(Wave &wave, const Instruction &in) { wave.next = instructionAt(wave, readScalar<uint64_t>(wave, in.src[0])); }
void swapPc(Wave &wave, const Instruction &in) {
  const uint64_t target = readScalar<uint64_t>(wave, in.src[0]);
  const uint64_t back = addressOf(wave, wave.next);
  wave.next = instructionAt(wave, target);
  writeScalar<uint64_t>(wave, in.dst, back);
}
void call(Wave &wave, const Instruction &in) {
  writeScalar<uint64_t>(wave, in.dst, addressOf(wave, wave.next));
  wave.next = in.target;
}

void waitStores(Wave &wave, const Instruction &in) {
  if (in.sources == 2 && in.src[1].value == 0)
    waitForStores(wave);
}
void invalidate0(Wave &wave, const Instruction &) { invalidateL0(wave); }
void invalidate1(Wave &wave, const Instruction &) { invalidateL1(wave); }

void applyMode(Wave &wave, uint32_t mode) {
  wave.mode = mode;
  _mm_setcsr(mxcsrOf(mode));
}
void roundMode(Wave &wave, const Instruction &in) { applyMode(wave, (wave.mode & 0xf0) | (in.src[0].value & 0xf)); }
void denormMode(Wave &wave, const Instruction &in) { applyMode(wave, (wave.mode & 0xf) | (in.src[0].value & 0xf) << 4); }

// hwreg operands: id, offset << 6, (size - 1) << 11.
constexpr uint32_t kModeRegister = 1, kCyclesRegister = 29;

uint32_t fieldMask(uint64_t hwreg) { return uint32_t((uint64_t(1) << (((hwreg >> 11) & 31) + 1)) - 1); }

void getRegister(Wave &wave, const Instruction &in) {
  const uint64_t hwreg = in.src[0].value, id = hwreg & 63;
  const uint32_t value = id == kModeRegister ? wave.mode : id == kCyclesRegister ? uint32_t(wave.executed) : 0;
  writeScalar<uint32_t>(wave, in.dst, (value >> ((hwreg >> 6) & 31)) & fieldMask(hwreg));
}
void setRegister(Wave &wave, const Instruction &in) {
  const uint64_t hwreg = in.src[0].value;
  if ((hwreg & 63) != kModeRegister)
    return;
  const uint32_t shift = (hwreg >> 6) & 31, mask = fieldMask(hwreg) << shift;
  applyMode(wave, ((wave.mode & ~mask) | ((readScalar<uint32_t>(wave, in.src[1]) << shift) & mask)) & 0xff);
}

void trap(Wave &wave, const Instruction &) { raiseFault(wave, FaultKind::Trap, 0, 0, "the kernel stopped itself"); }

} // namespace

void registerControl(HandlerTable &t) {
  for (const char *wait : {"s_nop",
                           "s_code_end",
                           "s_waitcnt",
                           "s_waitcnt_vmcnt",
                           "s_waitcnt_lgkmcnt",
                           "s_waitcnt_expcnt",
                           "s_waitcnt_depctr",
                           "s_wait_idle",
                           "s_wait_event",
                           "s_clause",
                           "s_delay_alu",
                           "s_sleep",
                           "s_setprio",
                           "s_set_inst_prefetch_distance",
                           "s_icache_inv",
                           "s_dcache_inv",
                           "s_gl1_inv",
                           "s_sendmsg",
                           "s_ttracedata",
                           "s_ttracedata_imm",
                           "s_version",
                           "s_incperflevel",
                           "s_decperflevel",
                           "v_nop",
                           "v_pipeflush"})
    t.add(wait, {nothing, "", kNoOperands});
  t.add("s_waitcnt_vscnt", {waitStores, "UUU", kNoDestination});
  t.add("buffer_gl0_inv", {invalidate0, "", kNoOperands});
  t.add("buffer_gl1_inv", {invalidate1, "", kNoOperands});
  t.add("s_endpgm", {end, "", kNoOperands});
  t.add("s_barrier", {barrier, "", kNoOperands});
  t.add("s_trap", {trap, "", kNoOperands});
  t.add("s_sethalt", {trap, "", kNoOperands});
  t.add("s_branch", {branch<When::Always>, "", kBranch});
  t.add("s_cbranch_scc0", {branch<When::Scc0>, "", kBranch});
  t.add("s_cbranch_scc1", {branch<When::Scc1>, "", kBranch});
  t.add("s_cbranch_vccz", {branch<When::Vccz>, "", kBranch});
  t.add("s_cbranch_vccnz", {branch<When::Vccnz>, "", kBranch});
  t.add("s_cbranch_execz", {branch<When::Execz>, "", kBranch});
  t.add("s_cbranch_execnz", {branch<When::Execnz>, "", kBranch});
  t.add("s_getpc_b64", {getPc, "L", 0});
  t.add("s_setpc_b64", {setPc, "LL", kNoDestination});
  t.add("s_swappc_b64", {swapPc, "LL", 0});
  t.add("s_call_b64", {call, "LU", kBranch | kCalls});
  t.add("s_round_mode", {roundMode, "UU", kNoDestination});
  t.add("s_denorm_mode", {denormMode, "UU", kNoDestination});
  t.add("s_getreg_b32", {getRegister, "UU", 0});
  t.add("s_setreg_b32", {setRegister, "UUU", kNoDestination});
  t.add("s_setreg_imm32_b32", {setRegister, "UUU", kNoDestination});
}

} // namespace ds4::sim::DS4_SIM_ISA
