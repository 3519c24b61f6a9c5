// Workgroups and waves against each other: progress of spinning ones, hand-overs under every order, order of waves.
#include <gtest/gtest.h>

#include "tests/simulator/Device.h"

namespace ds4::sim::test {
namespace {

// Workgroup 0 waits for all others to arrive: it is the first to run and must be set aside.
constexpr const char *kSpin = R"(
KERNEL(64) waitForAll(u32 *counter, u32 *out, u32 groups) {
  if (group() == 0) {
    if (thread() == 0)
      while (__hip_atomic_load(counter, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) != groups - 1)
        __builtin_amdgcn_s_sleep(1);
    barrier();
    out[thread()] = 7;
  } else if (thread() == 0) {
    __hip_atomic_fetch_add(counter, 1u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
  }
}
)";

TEST(Schedule, SpinningWorkgroupMakesProgress) {
  const auto object = compileKernels(kSpin);
  for (unsigned threads : {1u, 2u}) {
    Device device;
    device.options.threads = threads;
    device.options.preemptAfter = 2000;
    auto *counter = device.allocate<uint32_t>(1), *out = device.allocate<uint32_t>(64);
    device.launch(object, "waitForAll", 40, 64, counter, out, 40u);
    EXPECT_EQ(*counter, 39u);
    EXPECT_EQ(out[63], 7u);
  }
}

TEST(Schedule, SpinningWorkgroupMakesProgressInterleaved) {
  const auto object = compileKernels(kSpin);
  Device device;
  device.options.schedule = Schedule::Interleaved;
  for (uint64_t seed = 0; seed < 16; seed++) {
    device.options.seed = seed;
    device.options.adversarialMemory = seed & 1;
    auto *counter = device.allocate<uint32_t>(1), *out = device.allocate<uint32_t>(64);
    device.launch(object, "waitForAll", 12, 64, counter, out, 12u);
    EXPECT_EQ(out[63], 7u) << "seed " << seed;
  }
}

// Every workgroup writes a partial result; the last to arrive adds them up. Workgroups read the partial results before, so
// that stale copies are there to be found.
std::string handOver(const std::string &release, const std::string &beforeCount, const std::string &acquire) {
  return R"(
KERNEL(64) handOver(u32 *counter, u32 *partial, u32 *out, u32 groups) {
  SHARED u32 arrived;
  u32 early = 0;
  for (u32 g = 0; g < groups; g++) early += ((volatile u32 *)partial)[g * 64 + thread()];
  partial[group() * 64 + thread()] = group() * 1000 + thread() + (early & 0);
  )" + release +
         "\n  " + beforeCount + R"(
  if (thread() == 0) arrived = addDevice(counter, 1);
  ldsBarrier();
  if (arrived != groups - 1) return;
  )" + acquire +
         R"(
  u32 sum = 0;
  for (u32 g = 0; g < groups; g++) sum += partial[g * 64 + (thread() ^ 32)];
  out[thread()] = sum;
}
)";
}

// How many of the seeds give a wrong sum.
int wrongResults(const std::shared_ptr<CodeObject> &object, int seeds, bool adversarial) {
  constexpr uint32_t groups = 4;
  Device device;
  device.options.schedule = Schedule::Interleaved;
  device.options.adversarialMemory = adversarial;
  device.options.detectRaces = true;
  auto *counter = device.allocate<uint32_t>(1), *partial = device.allocate<uint32_t>(groups * 64),
       *out = device.allocate<uint32_t>(64);
  int wrong = 0;
  for (int seed = 0; seed < seeds; seed++) {
    device.options.seed = uint64_t(seed);
    *counter = 0;
    std::fill_n(partial, groups * 64, 0xdeadu);
    std::fill_n(out, 64, 0u);
    device.launch(object, "handOver", groups, 64, counter, partial, out, groups);
    bool right = true;
    for (uint32_t t = 0; t < 64; t++)
      right &= out[t] == 6000 + 4 * (t ^ 32);
    wrong += !right;
  }
  return wrong;
}

TEST(HandOver, ReleaseAndAcquireHoldUnderAThousandSchedules) {
  const auto object = compileKernels(handOver("releaseDevice();", "barrier();", "acquireDevice();"));
  EXPECT_EQ(wrongResults(object, 1000, true), 0);
  EXPECT_EQ(wrongResults(object, 200, false), 0);
}

TEST(HandOver, MissingAcquireIsCaught) {
  const auto object = compileKernels(handOver("releaseDevice();", "barrier();", ""));
  EXPECT_GT(wrongResults(object, 100, true), 90);
}

TEST(HandOver, MissingReleaseIsCaught) {
  const auto object = compileKernels(handOver("", "ldsBarrier();", "acquireDevice();"));
  EXPECT_GT(wrongResults(object, 200, true), 20);
}

TEST(HandOver, MissingBarrierBeforeTheCountIsCaughtByInterleavingAlone) {
  const auto object = compileKernels(handOver("releaseDevice();", "", "acquireDevice();"));
  EXPECT_GT(wrongResults(object, 400, false), 0);
}

// The last wave to write wins: shows the order in which a workgroup's waves run.
TEST(Schedule, WaveOrder) {
  const auto object = compileKernels("KERNEL(256) last(u32 *out) { out[0] = thread() / 32; }");
  Device device;
  auto *out = device.allocate<uint32_t>(1);
  device.options.order = WaveOrder::Ascending;
  device.launch(object, "last", 1, 256, out);
  EXPECT_EQ(*out, 7u);
  device.options.order = WaveOrder::Descending;
  device.launch(object, "last", 1, 256, out);
  EXPECT_EQ(*out, 0u);
  device.options.order = WaveOrder::Random;
  uint32_t seen = 0;
  for (uint64_t seed = 0; seed < 64; seed++) {
    device.options.seed = seed;
    device.launch(object, "last", 1, 256, out);
    seen |= 1u << *out;
  }
  EXPECT_EQ(seen, 0xffu);
}

// Additions from many workgroups on two threads: none may be lost.
TEST(Schedule, AtomicsOfTwoThreadsAreNotLost) {
  const auto object =
      compileKernels("KERNEL(256) count(u32 *n) { for (int k = 0; k < 50; k++) addDevice(n + (thread() & 3), 1); }");
  Device device;
  device.options.threads = 2;
  auto *counts = device.allocate<uint32_t>(4);
  device.launch(object, "count", 64, 256, counts);
  for (int k = 0; k < 4; k++)
    EXPECT_EQ(counts[k], 64u * 64 * 50);
}

// A result that depends on nothing but its own workgroup is the same however the launch is run.
TEST(Schedule, ThreadsPreemptionAndInstructionSetsAgree) {
  const auto object = compileKernels(R"(
KERNEL(128) mix(float *out) {
  SHARED float row[128];
  float x = thread() * 0.25f + group();
  for (int k = 0; k < 20; k++) {
    row[thread()] = x;
    barrier();
    x = __builtin_fmaf(row[(thread() + 17) & 127], 0.75f, __builtin_amdgcn_exp2f(-x)) / (1.5f + x * x);
    barrier();
  }
  out[group() * 128 + thread()] = x;
}
)");
  const auto result = [&](auto change) {
    Device device;
    device.options.threads = 1;
    change(device.options);
    auto *out = device.allocate<float>(32 * 128);
    device.launch(object, "mix", 32, 128, out);
    return std::vector<float>(out, out + 32 * 128);
  };
  const std::vector<float> plain = result([](Options &) {});
  EXPECT_NE(plain[0], plain[200]);
  EXPECT_EQ(plain, result([](Options &o) { o.threads = 2; }));
  EXPECT_EQ(plain, result([](Options &o) { o.preemptAfter = 7; }));
  EXPECT_EQ(plain, result([](Options &o) { o.forceAvx2 = true; }));
  EXPECT_EQ(plain, result([](Options &o) { o.order = WaveOrder::Random; }));
  EXPECT_EQ(plain, result([](Options &o) { o.schedule = Schedule::Interleaved; }));
  EXPECT_EQ(plain, result([](Options &o) { o.detectRaces = o.detectUninitialised = o.countLines = true; }));
}

} // namespace
} // namespace ds4::sim::test
