// libds4cuda.so without a GPU: what it says when there is no driver, and its calls over a driver that we play ourselves.
#include <array>
#include <cstdlib>
#include <thread>

#include <gmock/gmock.h>

#include "runtime/hip/DeviceObjects.h"
#include "tests/unit/Failure.h"

namespace ds4::hip {
namespace {

using test::failure;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// A provider over the library that `path` names; a driver that was loaded once stays, so tests of failures come first.
std::shared_ptr<const Provider> open(const char *path, const char *initAnswer = "0") {
  setenv("DS4C_CUDA_DRIVER", path, 1);
  setenv("FAKE_CUDA_INIT", initAnswer, 1);
  return openProvider(ProviderKind::Cuda, std::vector<std::string>{DS4_CUDA}, 0);
}

TEST(CudaProvider, NoDriverIsOneLineAboutTheEnvironment) {
  if (const auto [code, message] = failure([] { open("/no/such/libcuda.so.1"); }); code != ExitCode::Success) {
    EXPECT_EQ(code, ExitCode::Environment);
    EXPECT_THAT(message,
                AllOf(HasSubstr("hipInit: hipErrorNoDevice"), HasSubstr("/no/such/libcuda.so.1: cannot open shared object file"),
                      HasSubstr("no usable NVIDIA GPU: install its driver, or use --device sim"), Not(HasSubstr("\n"))));
  } else {
    FAIL() << "a library that does not exist was opened";
  }
}

TEST(CudaProvider, ADriverWithoutItsEntryPointsIsNamed) {
  const auto [code, message] = failure([] { open(DS4_FAKE_HIP); });
  EXPECT_EQ(code, ExitCode::Environment);
  EXPECT_THAT(message, AllOf(HasSubstr("lacks cuInit"), Not(HasSubstr("\n"))));
}

TEST(CudaProvider, TheToolkitsStubOfADriverIsNoDevice) {
  for (const char *result : {"34", "100", "803"}) { // stub library, no device, driver mismatch
    const auto [code, message] = failure([&] { open(DS4_FAKE_CUDA, result); });
    EXPECT_EQ(code, ExitCode::Environment);
    EXPECT_THAT(message, AllOf(HasSubstr("hipErrorNoDevice (CUDA_ERROR_OF_THE_FAKE, text of the fake)"), HasSubstr("NVIDIA")));
  }
}

TEST(CudaProvider, NamesTheArchitectureByComputeCapability) {
  const auto provider = open(DS4_FAKE_CUDA);
  EXPECT_EQ(provider->architecture, "sm_90");
  EXPECT_EQ(provider->deviceName, "Fake 9000");
  EXPECT_EQ(provider->driverVersion(), 13000);
  EXPECT_EQ(provider->memory().totalBytes, 4096u);
  EXPECT_EQ(provider->attribute(AttributeWarpSize), 10); // the fake answers with CUDA's number of the attribute
  EXPECT_EQ(provider->attribute(AttributeMultiprocessorCount), 16);
  EXPECT_EQ(failure([] { openProvider(ProviderKind::Cuda, std::vector<std::string>{DS4_CUDA}, 1); }).first, ExitCode::Environment);
}

TEST(CudaProvider, MemoryGoesThereAndBack) {
  const auto provider = open(DS4_FAKE_CUDA);
  const DeviceBuffer buffer(*provider, 8);
  const std::array<std::byte, 4> in{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}};
  std::array<std::byte, 4> out{};
  buffer.upload(in, 4);
  buffer.download(out, 4);
  EXPECT_EQ(out, in);
  buffer.fill(9, nullptr);
  buffer.downloadAsync(out, 0, nullptr);
  EXPECT_EQ(out[0], std::byte{9});
  const auto [code, message] = failure([&] { DeviceBuffer(*provider, 5000); });
  EXPECT_EQ(code, ExitCode::Environment);
  EXPECT_THAT(message, HasSubstr("hipErrorOutOfMemory"));
  int value = 0;
  EXPECT_EQ(provider->table.hipMemcpy(&value, &value, 4, static_cast<CopyKind>(5)), kInvalidMemcpyDirection);
  EXPECT_EQ(provider->table.hipGetLastError(), kInvalidMemcpyDirection);
  EXPECT_EQ(provider->table.hipGetLastError(), kSuccess);
}

TEST(CudaProvider, EachThreadGetsItsContext) {
  const auto provider = open(DS4_FAKE_CUDA);
  Result result = kUnknown;
  std::thread([&] {
    void *pointer = nullptr;
    result = provider->table.hipMalloc(&pointer, 8);
    provider->table.hipFree(pointer);
  }).join();
  EXPECT_EQ(result, kSuccess);
}

TEST(CudaProvider, LaunchesTakeArgumentsInBothForms) {
  const auto provider = open(DS4_FAKE_CUDA);
  const Module module(*provider, std::as_bytes(std::span("cubin")), "a kernel");
  const FunctionHandle function = module.function("known");
  const DeviceBuffer out(*provider, 6 * sizeof(uint64_t));
  uint64_t address = reinterpret_cast<uint64_t>(out.data());
  std::array<uint64_t, 6> shape{};

  const Stream stream(*provider);
  const std::array<uint64_t, 2> packed{address, 0};
  stream.launch(function, {.grid = {2, 3, 4}, .block = {64, 1, 1}}, std::as_bytes(std::span(packed)), "known");
  out.download(std::as_writable_bytes(std::span(shape)));
  EXPECT_THAT(shape, ElementsAre(2, 3, 4, 64, sizeof packed, 0));

  void *parameters[] = {&address};
  constexpr unsigned kDynamicLds = 60000; // more than CUDA gives without being asked
  EXPECT_EQ(provider->table.hipModuleLaunchKernel(function, 5, 1, 1, 32, 1, 1, kDynamicLds, nullptr, parameters, nullptr),
            kSuccess);
  out.download(std::as_writable_bytes(std::span(shape)));
  EXPECT_THAT(shape, ElementsAre(5, 1, 1, 32, 0, kDynamicLds));

  // A kernel whose module says how much it wants gets it in every launch; this one also says that it waits for launches itself, and
  // goes another way.
  stream.launch(module.function("wide"), {}, std::as_bytes(std::span(packed)), "wide");
  out.download(std::as_writable_bytes(std::span(shape)));
  EXPECT_THAT(shape, ElementsAre(1, 1, 1, 32, sizeof packed, 50000));

  // This one says that ten workgroups are a cluster, more than every device takes unasked.
  stream.launch(module.function("clustered"), {.grid = {20, 1, 1}}, std::as_bytes(std::span(packed)), "clustered");
  out.download(std::as_writable_bytes(std::span(shape)));
  EXPECT_THAT(shape, ElementsAre(20, 1, 1, 32, sizeof packed, 0));

  void *unended[] = {kLaunchBufferPointer, &address, kLaunchBufferSize, &address, kLaunchBufferPointer, &address};
  EXPECT_EQ(provider->table.hipModuleLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, unended), kInvalidValue);
  EXPECT_EQ(provider->table.hipModuleLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, parameters, unended), kInvalidValue);
}

TEST(CudaProvider, FailuresKeepTheDriversWords) {
  const auto provider = open(DS4_FAKE_CUDA);
  const auto [imageCode, imageMessage] =
      failure([&] { Module(*provider, std::as_bytes(std::span("ptx of the future")), "the plan's kernels"); });
  EXPECT_EQ(imageCode, ExitCode::Environment);
  EXPECT_THAT(imageMessage, AllOf(HasSubstr("hipErrorInvalidImage"), HasSubstr("CUDA_ERROR_OF_THE_FAKE"), HasSubstr("sm_90")));
  const auto [kernelCode, kernelMessage] =
      failure([&] { Module(*provider, std::as_bytes(std::span("cubin")), "x").function("unknown"); });
  EXPECT_EQ(kernelCode, ExitCode::Internal);
  EXPECT_THAT(kernelMessage, HasSubstr("hipErrorNotFound"));
  const auto [faultCode, faultMessage] = failure([&] { Stream(*provider).synchronize(); });
  EXPECT_EQ(faultCode, ExitCode::Internal);
  EXPECT_THAT(faultMessage, HasSubstr("hipErrorIllegalAddress (CUDA_ERROR_OF_THE_FAKE"));
}

TEST(CudaProvider, WithoutNvrtcTheCompilerSaysWhereItLooked) {
  setenv("DS4C_NVRTC", "/no/such/libnvrtc.so", 1);
  const RtcTable rtc = loadRtc(std::vector<std::string>{DS4_CUDA});
  int major = 0, minor = 0;
  const RtcResult result = rtc.hiprtcVersion(&major, &minor);
  EXPECT_NE(result, kRtcSuccess);
  EXPECT_THAT(rtc.hiprtcGetErrorString(result), HasSubstr("/no/such/libnvrtc.so: cannot open shared object file"));
}

TEST(CudaProvider, CompilesThroughNvrtcWithItsOptions) {
  setenv("DS4C_NVRTC", DS4_FAKE_CUDA, 1);
  const RtcTable rtc = loadRtc(std::vector<std::string>{DS4_CUDA});
  ProgramHandle program = nullptr;
  const char *text = "", *header = "wave.h", *options[] = {"--offload-arch=sm_90", "-O3", "-std=c++20"};
  ASSERT_EQ(rtc.hiprtcCreateProgram(&program, "source", "kernel.hip", 1, &text, &header), kRtcSuccess);
  ASSERT_EQ(rtc.hiprtcCompileProgram(program, 3, options), kRtcSuccess);
  size_t bytes = 0;
  ASSERT_EQ(rtc.hiprtcGetProgramLogSize(program, &bytes), kRtcSuccess);
  std::string log(bytes, 'x');
  ASSERT_EQ(rtc.hiprtcGetProgramLog(program, log.data()), kRtcSuccess);
  EXPECT_STREQ(log.c_str(), "--device-as-default-execution-space --gpu-architecture=sm_90 -std=c++20 ");
  ASSERT_EQ(rtc.hiprtcGetCodeSize(program, &bytes), kRtcSuccess);
  std::string code(bytes, 'x');
  ASSERT_EQ(rtc.hiprtcGetCode(program, code.data()), kRtcSuccess);
  EXPECT_EQ(code, "source wave.h");
  EXPECT_EQ(rtc.hiprtcDestroyProgram(&program), kRtcSuccess);
}

} // namespace
} // namespace ds4::hip
