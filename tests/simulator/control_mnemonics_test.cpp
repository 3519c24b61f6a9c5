// Branches, calls, waits and mode changes.
#include "tests/simulator/MnemonicTable.h"

namespace ds4::sim::test {
namespace {

// s8 becomes 1 where the branch is taken and 2 where it is not.
Row branch(const std::string &mnemonic, std::function<void(State &)> input, bool taken) {
  return wave(mnemonic + " .Ltaken%=\n s_mov_b32 s8, 2\n s_branch .Lend%=\n.Ltaken%=:\n s_mov_b32 s8, 1\n.Lend%=:",
              std::move(input), [taken](State &s) { s.s[8] = taken ? 1 : 2; });
}

Rows branches() {
  auto scc = [](uint32_t value) { return [=](State &s) { s.scc = value; }; };
  auto vcc = [](uint32_t value) { return [=](State &s) { s.vcc = value; }; };
  auto exec = [](uint32_t value) { return [=](State &s) { s.exec = value; }; };
  return {
      branch("s_branch", scc(0), true),
      branch("s_cbranch_scc0", scc(0), true),
      branch("s_cbranch_scc0", scc(1), false),
      branch("s_cbranch_scc1", scc(1), true),
      branch("s_cbranch_scc1", scc(0), false),
      branch("s_cbranch_vccz", vcc(0), true),
      branch("s_cbranch_vccz", vcc(0x80000000), false),
      branch("s_cbranch_vccnz", vcc(0x80000000), true),
      branch("s_cbranch_vccnz", vcc(0), false),
      branch("s_cbranch_execz", exec(0), true),
      branch("s_cbranch_execz", exec(4), false),
      branch("s_cbranch_execnz", exec(4), true),
      branch("s_cbranch_execnz", exec(0), false),
      // Backwards: a loop of ten.
      wave(
          "s_mov_b32 s8, 0\n.Lloop%=:\n s_add_u32 s8, s8, 3\n s_cmp_lt_u32 s8, 30\n s_cbranch_scc1 .Lloop%=", [](State &) {},
          [](State &s) {
            s.s[8] = 30;
            s.scc = 0;
          }),
  };
}

// A body that ends before the callee, so that only a call reaches it. The return address is cleared afterwards.
Rows calls() {
  const std::string rest = "\n s_mov_b64 s[10:11], 0\n s_mov_b64 s[12:13], 0\n s_branch .Lend%=\n.Lcallee%=:\n s_mov_b32 s8, 7\n "
                           "s_setpc_b64 s[10:11]\n.Lend%=:";
  auto expected = [](State &s) {
    s.s[8] = 7;
    s.setS64(10, 0);
    s.setS64(12, 0);
  };
  const std::string address =
      "s_getpc_b64 s[12:13]\n.Lhere%=:\n s_add_u32 s12, s12, .Lcallee%=-.Lhere%=\n s_addc_u32 s13, s13, 0\n ";
  return {
      wave(
          "s_call_b64 s[10:11], .Lcallee%=" + rest, [](State &) {}, expected),
      wave(
          address + "s_swappc_b64 s[10:11], s[12:13]" + rest, [](State &) {},
          [expected](State &s) {
            expected(s);
            s.scc = 0;
          }),
  };
}

// Nothing that a test of one wave could see.
Rows waits() {
  Rows rows;
  for (const char *text : {"s_nop 3",
                           "s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)",
                           "s_waitcnt_vmcnt null, 0x0",
                           "s_waitcnt_vscnt null, 0x0",
                           "s_waitcnt_lgkmcnt null, 0x0",
                           "s_waitcnt_expcnt null, 0x0",
                           "s_waitcnt_depctr 0xfff",
                           "s_wait_idle",
                           "s_wait_event 0x1",
                           "s_clause 0x1",
                           "s_delay_alu instid0(VALU_DEP_1)",
                           "s_sleep 1",
                           "s_setprio 1",
                           "s_set_inst_prefetch_distance 0x1",
                           "s_icache_inv",
                           "s_dcache_inv",
                           "s_gl1_inv",
                           "s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)",
                           "s_ttracedata",
                           "s_ttracedata_imm 0x1",
                           "s_version UC_VERSION_GFX11",
                           "s_incperflevel 1",
                           "s_decperflevel 1",
                           "buffer_gl0_inv",
                           "buffer_gl1_inv",
                           "s_barrier",
                           "v_nop"})
    rows.push_back(wave(text, [](State &) {}, [](State &) {}));
  return rows;
}

// FP_ROUND in bits 0..3 (f32, then f64 and f16), FP_DENORM in bits 4..7. Modes are put back, as the stores behind need none.
Rows modes() {
  auto addends = [](float a, float b) {
    return [=](State &s) {
      for (unsigned lane = 0; lane < kLanes; ++lane)
        s.v[0][lane] = std::bit_cast<uint32_t>(a), s.v[2][lane] = std::bit_cast<uint32_t>(b);
    };
  };
  auto sum = [](float x) {
    return [=](State &s) {
      for (uint32_t &lane : s.v[8])
        lane = std::bit_cast<uint32_t>(x);
    };
  };
  const std::string add = "\n v_add_f32 v8, v0, v2\n ";
  return {
      wave("s_round_mode 0x1" + add + "s_round_mode 0x0", addends(1, 0x1p-40f), sum(0x1.000002p0f)),    // up
      wave("s_round_mode 0x2" + add + "s_round_mode 0x0", addends(1, -0x1p-40f), sum(0x1.fffffep-1f)),  // down
      wave("s_round_mode 0x3" + add + "s_round_mode 0x0", addends(-1, 0x1p-40f), sum(-0x1.fffffep-1f)), // to zero
      wave("s_denorm_mode 0xc" + add + "s_denorm_mode 0xf", addends(0x1p-149f, 0x1p-149f), sum(0)), // f32 flushed, f64 and f16 not
      wave("s_denorm_mode 0xf" + add + "s_denorm_mode 0xf", addends(0x1p-149f, 0x1p-149f), sum(0x1p-148f)),
      wave("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 1" + add + "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 0",
           addends(1, 0x1p-40f), sum(0x1.000002p0f)),
      wave(
          "s_setreg_b32 hwreg(HW_REG_MODE, 0, 2), s4" + add + "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 0",
          [addends](State &s) {
            addends(1, 0x1p-40f)(s);
            s.s[4] = 1;
          },
          sum(0x1.000002p0f)),
      wave(
          "s_getreg_b32 s8, hwreg(HW_REG_MODE, 4, 4)", [](State &) {}, [](State &s) { s.s[8] = 0xf; }),
  };
}

Rows ends() {
  return {wave("s_cbranch_scc1 .Lgo%=\n s_endpgm\n s_code_end\n.Lgo%=:", [](State &) {}, [](State &) {})};
}

const MnemonicTable table("control", [] { return join({branches(), calls(), waits(), modes(), ends()}); });

} // namespace
} // namespace ds4::sim::test
