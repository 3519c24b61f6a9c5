// What a launch counts, against kernels whose counts follow from their text.
#include <gtest/gtest.h>

#include "tests/simulator/Device.h"

namespace ds4::sim::test {
namespace {

std::string body(const std::string &text) {
  return "  s_load_b64 s[2:3], s[0:1], 0x0\n  v_lshlrev_b32 v1, 2, v0\n  s_waitcnt lgkmcnt(0)\n" + text + "\n  s_endpgm\n";
}

struct CountersTest : testing::Test {
  Device device;
  Counters count(const std::string &text, uint32_t groups = 1, uint32_t threads = 32, size_t words = 4096, uint32_t lds = 0) {
    const auto object = assembleKernels({{"kernel", body(text), lds}});
    return device.launch(object, "kernel", groups, threads, device.allocate<uint32_t>(words));
  }
};

TEST_F(CountersTest, ClassesAddUpToAllInstructions) {
  const Counters c = count("  v_add_f32 v2, v1, v1\n  v_exp_f32 v2, v2\n  v_dot4_i32_iu8 v2, v1, v1, v2\n  s_add_u32 s4, s2, s2\n"
                           "  v_dual_mov_b32 v2, 0 :: v_dual_mov_b32 v3, 0\n  ds_store_b32 v1, v0\n  s_barrier\n  s_nop 0\n"
                           "  s_branch .Lnext%=\n.Lnext%=:\n  global_load_b32 v4, v1, s[2:3]\n  global_store_b32 v1, v4, s[2:3]\n"
                           "  global_atomic_add_u32 v1, v0, s[2:3]\n  v_wmma_f32_16x16x16_f16 v[8:15], v[16:23], v[24:31], v[8:15]",
                           3, 64, 4096, 256);
  constexpr uint64_t waves = 6;
  EXPECT_EQ(c.workgroups, 3u);
  EXPECT_EQ(c.waves, waves);
  EXPECT_EQ(c.valu, 2 * waves); // v_lshlrev, v_add
  EXPECT_EQ(c.transcendental, waves);
  EXPECT_EQ(c.dot, waves);
  EXPECT_EQ(c.wmma, waves);
  EXPECT_EQ(c.vopd, waves);
  EXPECT_EQ(c.salu, waves);
  EXPECT_EQ(c.smem, waves);
  EXPECT_EQ(c.lds, waves);
  EXPECT_EQ(c.barriers, waves);
  EXPECT_EQ(c.waits, 2 * waves); // s_waitcnt, s_nop
  EXPECT_EQ(c.branches, waves);
  EXPECT_EQ(c.vmemLoads, waves);
  EXPECT_EQ(c.vmemStores, waves);
  EXPECT_EQ(c.vmemAtomics, waves);
  EXPECT_EQ(c.other, waves); // s_endpgm
  EXPECT_EQ(c.instructions, 17 * waves);
  EXPECT_EQ(c.longestWave, 17u);
  EXPECT_EQ(c.bytesLoaded, waves * 128);
  EXPECT_EQ(c.bytesStored, waves * 256);
  EXPECT_EQ(c.scalarBytes, waves * 8);
}

TEST_F(CountersTest, InactiveLanesMoveNoBytes) {
  EXPECT_EQ(count("  s_mov_b32 exec_lo, 0xff\n  global_load_b128 v[4:7], v1, s[2:3]").bytesLoaded, 8u * 16);
}

TEST_F(CountersTest, LongestWave) {
  // Wave 1 leaves at once, wave 0 runs a loop of ten rounds.
  const Counters c =
      count("  v_cmp_gt_u32 vcc_lo, 32, v0\n  s_cbranch_vccz .Lend%=\n  s_mov_b32 s4, 10\n.Lloop%=:\n  s_sub_u32 s4, s4, 1\n"
            "  s_cmp_lg_u32 s4, 0\n  s_cbranch_scc1 .Lloop%=\n.Lend%=:",
            1, 64);
  EXPECT_EQ(c.longestWave, 3u + 2 + 1 + 30 + 1);
  EXPECT_EQ(c.instructions, c.longestWave + 3 + 2 + 1);
}

struct Lines : CountersTest {
  Lines() { device.options.countLines = true; }
};

TEST_F(Lines, ContiguousLoadTakesTwo) {
  const Counters c = count("  global_load_b32 v2, v1, s[2:3]");
  EXPECT_EQ(c.linesRequested, 2u);
  EXPECT_EQ(c.linesLoaded, 3u); // and one of the argument segment
  EXPECT_EQ(c.linesStored, 0u);
}

TEST_F(Lines, StridedLoadTakesOneALane) {
  const Counters c = count("  v_lshlrev_b32 v1, 6, v0\n  global_load_b32 v2, v1, s[2:3]");
  EXPECT_EQ(c.linesRequested, 32u);
  EXPECT_EQ(c.linesLoaded, 33u);
}

TEST_F(Lines, SecondRequestIsCountedAgainButNotDistinct) {
  const Counters c =
      count("  global_load_b32 v2, v1, s[2:3]\n  global_load_b32 v2, v1, s[2:3]\n  global_store_b32 v1, v2, s[2:3]", 2);
  EXPECT_EQ(c.linesRequested, 12u);
  EXPECT_EQ(c.linesLoaded - c.linesStored, 1u);
  EXPECT_EQ(c.linesStored, 2u);
}

TEST_F(Lines, AccessAcrossALineTakesBoth) {
  EXPECT_EQ(count("  s_mov_b32 exec_lo, 1\n  v_mov_b32 v1, 60\n  global_load_b64 v[2:3], v1, s[2:3]").linesRequested, 2u);
}

TEST(CountersSum, AddKeepsTheLongestWave) {
  Counters a, b;
  a.instructions = 3, a.longestWave = 5, b.instructions = 4, b.longestWave = 2;
  a.add(b);
  EXPECT_EQ(a.instructions, 7u);
  EXPECT_EQ(a.longestWave, 5u);
}

} // namespace
} // namespace ds4::sim::test
