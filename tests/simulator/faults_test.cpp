// Each kind of fault, provoked by a kernel that has it, and what the report says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/simulator/Device.h"

namespace ds4::sim::test {
namespace {

using testing::HasSubstr;

// s[2:3] is the pointer argument, v1 the work-item's byte offset into an array of words.
std::string body(const std::string &text) {
  return "  s_load_b64 s[2:3], s[0:1], 0x0\n  v_and_b32 v0, 0x3ff, v0\n  v_lshlrev_b32 v1, 2, v0\n  s_waitcnt lgkmcnt(0)\n" + text +
         "\n  s_endpgm\n";
}

struct Faults : testing::Test {
  Device device;
  Fault launch(const std::string &text, uint32_t threads = 32, uint32_t lds = 0, uint32_t scratch = 0, size_t words = 32,
               bool written = true, uint32_t groups = 1) {
    const auto object = assembleKernels({{"kernel", body(text), lds, scratch}});
    uint32_t *data = device.allocate<uint32_t>(words, written);
    last = data;
    return faultOf([&] { device.launch(object, "kernel", groups, threads, data); });
  }
  uint32_t *last = nullptr;
};

TEST_F(Faults, GlobalLoadBehindItsBuffer) {
  const Fault fault = launch("  global_load_b32 v2, v1, s[2:3] offset:4");
  EXPECT_EQ(fault.kind, FaultKind::GlobalOutOfBounds);
  EXPECT_EQ(fault.kernel, "kernel");
  EXPECT_EQ(fault.instruction, "global_load_b32 v2, v1, s[2:3] offset:4");
  EXPECT_EQ(fault.lane, 31u); // the last lane alone is outside
  EXPECT_EQ(fault.address, reinterpret_cast<uint64_t>(last + 32));
  EXPECT_THAT(fault.what(), HasSubstr("in kernel kernel at +0x"));
  EXPECT_THAT(fault.what(), HasSubstr("workgroup (0, 0, 0), wave 0, lane 31"));
}

TEST_F(Faults, GlobalStoreBeforeItsBuffer) {
  const Fault fault = launch("  global_store_b32 v1, v0, s[2:3] offset:-4");
  EXPECT_EQ(fault.kind, FaultKind::GlobalOutOfBounds);
  EXPECT_EQ(fault.lane, 0u);
  EXPECT_EQ(fault.address, reinterpret_cast<uint64_t>(last - 1));
}

TEST_F(Faults, NullPointer) {
  const Fault fault = launch("  v_mov_b32 v2, 0\n  v_mov_b32 v3, 0\n  global_load_b32 v4, v[2:3], off");
  EXPECT_EQ(fault.kind, FaultKind::GlobalOutOfBounds);
  EXPECT_EQ(fault.address, 0u);
}

TEST_F(Faults, AddressThatWraps) {
  const Fault fault = launch("  v_mov_b32 v2, -4\n  v_mov_b32 v3, -1\n  global_load_b128 v[4:7], v[2:3], off");
  EXPECT_EQ(fault.kind, FaultKind::GlobalOutOfBounds);
}

TEST_F(Faults, ScalarLoadOutside) { EXPECT_EQ(launch("  s_load_b64 s[4:5], s[2:3], 0x7c").kind, FaultKind::GlobalOutOfBounds); }

TEST_F(Faults, InactiveLanesAreNotChecked) {
  const Fault fault = launch("  s_mov_b32 exec_lo, 0x7fffffff\n  global_load_b32 v2, v1, s[2:3] offset:4\n  s_trap 2");
  EXPECT_EQ(fault.kind, FaultKind::Trap);
  EXPECT_EQ(fault.instruction, "s_trap 2");
}

TEST_F(Faults, WorkgroupAndWaveAreNamed) {
  // Workgroup 3 alone reads, and its second wave reads beyond word 31.
  const auto object = assembleKernels({{"kernel", "  s_mov_b32 s8, s2\n" + body("  s_cmp_lg_u32 s8, 3\n  s_cbranch_scc1 .Lend%=\n"
                                                                                "  global_load_b32 v2, v1, s[2:3]\n.Lend%=:")}});
  uint32_t *data = device.allocate<uint32_t>(32);
  const Fault fault = faultOf([&] { device.launch(object, "kernel", 5, 64, data); });
  EXPECT_EQ(fault.kind, FaultKind::GlobalOutOfBounds);
  EXPECT_EQ(fault.workgroup[0], 3u);
  EXPECT_EQ(fault.wave, 1u);
  EXPECT_EQ(fault.lane, 0u);
  EXPECT_EQ(fault.pc, 36u);
}

TEST_F(Faults, LdsBeyondTheWorkgroupsShare) {
  const Fault fault = launch("  ds_load_b32 v2, v1 offset:4", 32, 128);
  EXPECT_EQ(fault.kind, FaultKind::LdsOutOfBounds);
  EXPECT_EQ(fault.lane, 31u);
  EXPECT_EQ(fault.address, 128u);
}

TEST_F(Faults, ScratchBeyondTheLanesShare) {
  const Fault fault = launch("  v_mov_b32 v2, 16\n  scratch_store_b32 v2, v0, off", 32, 0, 16);
  EXPECT_EQ(fault.kind, FaultKind::ScratchOutOfBounds);
  EXPECT_EQ(fault.address, 16u);
}

TEST_F(Faults, MisalignedAtomic) {
  const Fault fault = launch("  v_mov_b32 v2, 2\n  global_atomic_add_u32 v2, v0, s[2:3]");
  EXPECT_EQ(fault.kind, FaultKind::Misaligned);
  EXPECT_EQ(fault.address, reinterpret_cast<uint64_t>(last) + 2);
}

TEST_F(Faults, UnknownInstructionIsNamedWhenReached) {
  const Fault fault = launch("  image_sample v[0:3], v[0:1], s[4:11], s[12:15] dmask:0xf dim:SQ_RSRC_IMG_2D");
  EXPECT_EQ(fault.kind, FaultKind::UnknownInstruction);
  EXPECT_THAT(fault.instruction, HasSubstr("image_sample"));
  EXPECT_EQ(launch("  s_branch .Lover%=\n  image_sample v[0:3], v[0:1], s[4:11], s[12:15] dmask:0xf "
                   "dim:SQ_RSRC_IMG_2D\n.Lover%=:\n  s_trap 2")
                .kind,
            FaultKind::Trap);
}

TEST_F(Faults, EndlessLoopHitsTheLimit) {
  device.options.instructionLimit = 300'000;
  const Fault fault = launch("  s_mov_b32 s4, 0\n.Lloop%=:\n  s_add_u32 s4, s4, 1\n  s_branch .Lloop%=");
  EXPECT_EQ(fault.kind, FaultKind::Timeout);
}

TEST_F(Faults, WaitingForWhatNobodyWritesIsADeadlock) {
  device.options.preemptAfter = 1000;
  for (unsigned threads : {1u, 2u}) {
    device.options.threads = threads;
    const Fault fault = launch("  v_mov_b32 v3, 0\n.Lloop%=:\n  global_load_b32 v2, v3, s[2:3] glc\n  s_waitcnt vmcnt(0)\n"
                               "  v_readfirstlane_b32 s4, v2\n  s_cmp_eq_u32 s4, 0\n  s_cbranch_scc1 .Lloop%=",
                               64, 0, 0, 32, true, 6);
    EXPECT_EQ(fault.kind, FaultKind::Deadlock) << threads << " threads";
  }
}

TEST_F(Faults, LdsRaceBetweenWaves) {
  device.options.detectRaces = true;
  // Each wave writes its half of 64 words and reads the other wave's.
  const std::string write = "  ds_store_b32 v1, v0\n  s_waitcnt lgkmcnt(0)\n",
                    read = "  v_xor_b32 v2, 0x80, v1\n  ds_load_b32 v3, v2\n";
  const Fault fault = launch(write + read, 64, 256);
  EXPECT_EQ(fault.kind, FaultKind::LdsRace);
  EXPECT_EQ(fault.wave, 1u); // wave 0 read what wave 1 writes afterwards
  EXPECT_EQ(launch(write + "  s_barrier\n" + read + "  s_trap 2", 64, 256).kind, FaultKind::Trap);
}

TEST_F(Faults, NeighbouringBytesAreNoRace) {
  device.options.detectRaces = true;
  EXPECT_EQ(launch("  ds_store_b8 v0, v0\n  s_waitcnt lgkmcnt(0)\n  s_barrier\n  s_trap 2", 64, 64).kind, FaultKind::Trap);
}

TEST_F(Faults, LdsAtomicsOfTwoWavesAreNoRace) {
  device.options.detectRaces = true;
  EXPECT_EQ(launch("  v_mov_b32 v2, 0\n  ds_add_u32 v2, v0\n  s_barrier\n  s_trap 2", 64, 64).kind, FaultKind::Trap);
}

struct Uninitialised : Faults {
  Uninitialised() { device.options.detectUninitialised = true; }
};

TEST_F(Uninitialised, DeviceMemory) {
  const Fault fault = launch("  global_load_b32 v2, v1, s[2:3]", 32, 0, 0, 32, false);
  EXPECT_EQ(fault.kind, FaultKind::UninitialisedRead);
  EXPECT_EQ(fault.address, reinterpret_cast<uint64_t>(last));
}

TEST_F(Uninitialised, DeviceMemoryThatTheKernelWroteItself) {
  EXPECT_EQ(launch("  global_store_b32 v1, v0, s[2:3]\n  global_load_b32 v2, v1, s[2:3]\n  s_trap 2", 32, 0, 0, 32, false).kind,
            FaultKind::Trap);
}

TEST_F(Uninitialised, DeviceMemoryWrittenByAnEarlierLaunch) {
  const auto object =
      assembleKernels({{"write", body("  global_store_b32 v1, v0, s[2:3]")}, {"read", body("  global_load_b32 v2, v1, s[2:3]")}});
  uint32_t *data = device.allocate<uint32_t>(32, false);
  device.launch(object, "write", 1, 32, data);
  EXPECT_NO_THROW(device.launch(object, "read", 1, 32, data));
}

TEST_F(Uninitialised, Lds) { EXPECT_EQ(launch("  ds_load_b32 v2, v1", 32, 128).kind, FaultKind::UninitialisedRead); }

TEST_F(Uninitialised, RegisterAsStoredData) {
  const Fault fault = launch("  global_store_b32 v1, v7, s[2:3]");
  EXPECT_EQ(fault.kind, FaultKind::UninitialisedRead);
  EXPECT_THAT(fault.what(), HasSubstr("data from a register that nothing has written"));
}

TEST_F(Uninitialised, RegisterThroughArithmeticIntoAnAddress) {
  const Fault fault = launch("  v_add_nc_u32 v2, v1, v7\n  global_load_b32 v3, v2, s[2:3]");
  EXPECT_EQ(fault.kind, FaultKind::UninitialisedRead);
  EXPECT_EQ(fault.instruction, "global_load_b32 v3, v2, s[2:3]");
}

TEST_F(Uninitialised, ScalarInABranch) {
  EXPECT_EQ(launch("  s_cmp_eq_u32 s20, 0\n  s_cbranch_scc1 .Lend%=\n.Lend%=:").kind, FaultKind::UninitialisedRead);
}

TEST_F(Uninitialised, LaneWrittenUnderAnotherMask) {
  EXPECT_EQ(
      launch("  s_mov_b32 exec_lo, 0xffff\n  v_mov_b32 v2, 0\n  s_mov_b32 exec_lo, -1\n  global_store_b32 v1, v2, s[2:3]").lane,
      16u);
}

TEST_F(Uninitialised, UnusedGarbageIsNoFault) {
  EXPECT_EQ(launch("  v_add_nc_u32 v2, v1, v7\n  s_add_u32 s9, s20, 1\n  s_trap 2").kind, FaultKind::Trap);
}

} // namespace
} // namespace ds4::sim::test
