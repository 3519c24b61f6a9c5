#include "codegen/KernelResources.h"

#include <algorithm>

#include <gmock/gmock.h>

#include "codegen/clang/Compiler.h"
#include "support/Error.h"

namespace ds4 {
namespace {

using testing::HasSubstr;

std::vector<std::byte> compile(const std::string &source) {
  CompileRequest request;
  request.source = "#define KERNEL extern \"C\" __attribute__((global))\n#define DEVICE __attribute__((device))\n" + source;
  CompileResult result = compileHip(request);
  EXPECT_TRUE(result.ok) << result.log;
  return std::move(result.codeObject);
}

KernelResources only(const std::string &source) {
  const std::vector<KernelResources> kernels = readKernelResources(compile(source));
  EXPECT_EQ(kernels.size(), 1u);
  return kernels.at(0);
}

std::string refusal(const KernelResources &resources, const ResourceBudget &budget = {}) {
  try {
    checkResources(resources, budget);
  } catch (const Error &error) {
    EXPECT_EQ(error.code(), ExitCode::Internal);
    return error.what();
  }
  return "";
}

// An array indexed by a run-time value cannot live in registers.
constexpr const char *kScratch = R"(
KERNEL void indexed(int *out, int n) {
  volatile int values[64];
  for (int i = 0; i < 64; ++i) values[i] = i * n;
  out[0] = values[n & 63];
})";

// 64 values live at once (volatile accesses keep their order) in 32 registers.
constexpr const char *kSpilling = R"(
KERNEL __attribute__((amdgpu_num_vgpr(32))) void spilling(volatile float *p) {
  float x[64];
#pragma unroll
  for (int i = 0; i < 64; ++i) x[i] = p[i];
#pragma unroll
  for (int i = 0; i < 64; ++i) p[i] = x[63 - i];
})";

TEST(KernelResources, ReadsAPlainKernel) {
  const KernelResources resources = only("KERNEL void plain(float *a, int n) { a[__builtin_amdgcn_workitem_id_x()] = n; }");
  EXPECT_EQ(resources.name, "plain");
  EXPECT_EQ(resources.waveSize, 32);
  EXPECT_GT(resources.vgprs, 0);
  EXPECT_GE(resources.kernargBytes, 12);
  EXPECT_EQ(resources.ldsBytes, 0);
  EXPECT_EQ(resources.scratchBytes, 0);
  EXPECT_EQ(refusal(resources), "");
}

TEST(KernelResources, ListsEveryKernel) {
  const auto kernels = readKernelResources(compile("KERNEL void a(int *p) { *p = 1; }\nKERNEL void b(int *p) { *p = 2; }"));
  std::vector<std::string> names;
  for (const KernelResources &kernel : kernels)
    names.push_back(kernel.name);
  EXPECT_THAT(names, testing::UnorderedElementsAre("a", "b"));
}

TEST(KernelResources, SeesLdsAndWorkgroupSize) {
  const KernelResources resources = only(R"(
    KERNEL __attribute__((amdgpu_flat_work_group_size(1, 64))) void shared(float *p, int i) {
      static __attribute__((shared)) float buffer[1000];
      buffer[__builtin_amdgcn_workitem_id_x()] = p[i];
      __builtin_amdgcn_s_barrier();
      p[0] = buffer[i];
    })");
  EXPECT_EQ(resources.ldsBytes, 4000);
  EXPECT_EQ(resources.maxWorkgroup, 64);
  EXPECT_THAT(refusal(resources, {.vgprs = 256, .ldsBytes = 3999}),
              HasSubstr("kernel shared: 4000 bytes of LDS, its budget is 3999"));
}

TEST(ResourceGate, RefusesScratch) {
  const KernelResources resources = only(kScratch);
  EXPECT_GE(resources.scratchBytes, 256);
  EXPECT_THAT(refusal(resources), HasSubstr("kernel indexed: "));
  EXPECT_THAT(refusal(resources), HasSubstr("bytes of scratch a lane"));
}

TEST(ResourceGate, RefusesSpills) {
  const KernelResources resources = only(kSpilling);
  EXPECT_GT(resources.vgprSpills, 0);
  EXPECT_THAT(refusal(resources), HasSubstr("kernel spilling: "));
  EXPECT_THAT(refusal(resources), HasSubstr("VGPR spills"));
}

TEST(ResourceGate, RefusesADynamicStack) {
  const KernelResources resources = only(R"(
    DEVICE __attribute__((noinline)) int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
    KERNEL void recursive(int *p) { p[0] = fibonacci(p[0]); })");
  EXPECT_TRUE(resources.dynamicStack);
  EXPECT_NE(refusal(resources), "");
}

TEST(ResourceGate, NamesADynamicStackWithoutOtherFaults) {
  KernelResources resources;
  resources.name = "k";
  resources.dynamicStack = true;
  EXPECT_THAT(refusal(resources), HasSubstr("kernel k: a dynamic stack"));
}

TEST(ResourceGate, RefusesMoreRegistersThanTheBudget) {
  KernelResources resources;
  resources.name = "wide";
  resources.vgprs = 97;
  EXPECT_EQ(refusal(resources, {.vgprs = 97}), "");
  EXPECT_EQ(refusal(resources, {.vgprs = 96}), "kernel wide: 97 VGPRs, its budget is 96");
}

// 1536 registers a lane in steps of 24: 256 take 264, so 5 waves fit; 96 take 96 and 16 fit.
TEST(KernelResources, OccupancyFollowsTheRegisterFile) {
  const auto waves = [](int vgprs) {
    KernelResources resources;
    resources.vgprs = vgprs;
    return resources.wavesPerSimd();
  };
  EXPECT_EQ(waves(0), 16);
  EXPECT_EQ(waves(96), 16);
  EXPECT_EQ(waves(97), 12);
  EXPECT_EQ(waves(128), 10);
  EXPECT_EQ(waves(256), 5);
}

TEST(KernelResources, GarbageIsAUsersError) {
  const auto code = [](std::span<const std::byte> bytes) {
    try {
      readKernelResources(bytes);
    } catch (const Error &error) {
      return error.code();
    }
    return ExitCode::Success;
  };
  EXPECT_EQ(code({}), ExitCode::User);
  EXPECT_EQ(code(std::vector<std::byte>(100, std::byte{0x5a})), ExitCode::User);
  std::vector<std::byte> truncated = compile("KERNEL void k(int *p) { *p = 1; }");
  truncated.resize(truncated.size() / 2);
  EXPECT_EQ(code(truncated), ExitCode::User);
}

TEST(KernelResources, FlippedBytesNeverCrash) {
  const std::vector<std::byte> good = compile("KERNEL void k(int *p) { *p = 1; }");
  int read = 0, refused = 0;
  for (size_t at = 0; at < good.size(); ++at) {
    std::vector<std::byte> bad = good;
    bad[at] ^= std::byte{0xff};
    try {
      readKernelResources(bad);
      ++read;
    } catch (const Error &) {
      ++refused;
    }
  }
  EXPECT_GT(read, 0);
  EXPECT_GT(refused, 0);
}

} // namespace
} // namespace ds4
