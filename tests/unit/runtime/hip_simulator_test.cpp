// libds4sim.so behind the HIP table: compile by hipRTC, load, launch, copy back; what it refuses and how it says so.
#include <cmath>
#include <cstring>
#include <numeric>
#include <thread>

#include <gmock/gmock.h>

#include "runtime/hip/DeviceObjects.h"
#include "runtime/hip/RtcClient.h"
#include "tests/unit/Failure.h"

namespace ds4::hip {
namespace {

using test::failure;
using testing::AllOf;
using testing::HasSubstr;

const std::vector<std::string> kLibrary{DS4_SIM};

const Provider &simulator() {
  static const auto provider = openProvider(ProviderKind::Simulator, kLibrary, 0);
  return *provider;
}

// Compiles by the hipRTC entry points in this process.
std::vector<std::byte> compileHere(const std::string &source) {
  static const RtcTable rtc = loadRtc(kLibrary);
  ProgramHandle program = nullptr;
  const char *headers[] = {"#define SCALE 2.0f\n"}, *names[] = {"scale.h"};
  EXPECT_EQ(rtc.hiprtcCreateProgram(&program, source.c_str(), "test.hip", 1, headers, names), kRtcSuccess);
  const char *options[] = {"--offload-arch=gfx1151", "-O3", "-std=c++17", "-DEXTRA=1"};
  const RtcResult result = rtc.hiprtcCompileProgram(program, 4, options);
  size_t bytes = 0;
  EXPECT_EQ(rtc.hiprtcGetProgramLogSize(program, &bytes), kRtcSuccess);
  std::string log(bytes, '\0');
  EXPECT_EQ(rtc.hiprtcGetProgramLog(program, log.data()), kRtcSuccess);
  EXPECT_EQ(result, kRtcSuccess) << log;
  EXPECT_EQ(rtc.hiprtcGetCodeSize(program, &bytes), kRtcSuccess);
  std::vector<std::byte> code(bytes);
  EXPECT_EQ(rtc.hiprtcGetCode(program, reinterpret_cast<char *>(code.data())), kRtcSuccess);
  EXPECT_EQ(rtc.hiprtcDestroyProgram(&program), kRtcSuccess);
  return code;
}

constexpr const char *kSource = R"(
#include "scale.h"
extern "C" __global__ void saxpy(const float *x, float *y, float a, int n) {
  int i = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
  if (i < n) y[i] = a * x[i] + SCALE * y[i];
}
extern "C" __global__ void beyond(int *p, long at) { p[at] = 7; }
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(1, 64))) void small(int *p) { *p = EXTRA; }
extern "C" __global__ void nothing() {}
extern "C" __global__ void copy(const int *from, int *to) {
  int i = __builtin_amdgcn_workitem_id_x();
  to[i] = from[i];
}
extern "C" __global__ void exchange(int *p) {
  static __shared__ int slots[64];
  int i = __builtin_amdgcn_workitem_id_x();
  slots[i] = i;
  __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "workgroup");
  p[i] = slots[63 - i];
}
extern "C" __global__ void forever(volatile int *p) { while (*p == 0) {} }
)";

const Module &module() {
  static const Module loaded(simulator(), compileHere(kSource), "test kernels");
  return loaded;
}

template <typename... Values> std::vector<std::byte> pack(const Values &...values) {
  std::vector<std::byte> packed;
  const auto add = [&](const auto &value) {
    packed.resize((packed.size() + alignof(decltype(value)) - 1) / alignof(decltype(value)) * alignof(decltype(value)));
    const auto *bytes = reinterpret_cast<const std::byte *>(&value);
    packed.insert(packed.end(), bytes, bytes + sizeof value);
  };
  (add(values), ...);
  return packed;
}

struct Saxpy {
  static constexpr int kCount = 1000;
  std::vector<float> x = std::vector<float>(kCount), y = std::vector<float>(kCount, 0.5f);
  DeviceBuffer dx{simulator(), kCount * 4}, dy{simulator(), kCount * 4};
  Saxpy() {
    std::iota(x.begin(), x.end(), 0.0f);
    dx.upload(std::as_bytes(std::span(x)));
    dy.upload(std::as_bytes(std::span(y)));
  }
  void expectResult() {
    dy.download(std::as_writable_bytes(std::span(y)));
    for (int i = 0; i < kCount; ++i)
      ASSERT_EQ(y[i], 3.0f * static_cast<float>(i) + 1.0f) << i;
  }
};

TEST(SimulatorProvider, PresentsAGfx1151) {
  const Provider &provider = simulator();
  EXPECT_EQ(provider.deviceName, "gfx1151 simulator");
  EXPECT_EQ(provider.architecture, "gfx1151");
  EXPECT_EQ(provider.attribute(AttributeMultiprocessorCount), 40);
  EXPECT_EQ(provider.attribute(AttributeWarpSize), 32);
  EXPECT_EQ(provider.attribute(AttributeMaxSharedMemoryPerBlock), 65536);
  const MemoryInfo memory = provider.memory();
  EXPECT_GT(memory.freeBytes, 0u);
  EXPECT_GE(memory.totalBytes, memory.freeBytes);
  EXPECT_GE(provider.runtimeVersion(), 60000000);
}

TEST(SimulatorProvider, LaunchesPackedArguments) {
  Saxpy saxpy;
  const Stream stream(simulator());
  stream.launch(module().function("saxpy"), {.grid = {16, 1, 1}, .block = {64, 1, 1}},
                pack(saxpy.dx.data(), saxpy.dy.data(), 3.0f, Saxpy::kCount), "saxpy");
  stream.synchronize();
  saxpy.expectResult();
}

TEST(SimulatorProvider, LaunchesPointersToArguments) {
  Saxpy saxpy;
  void *x = saxpy.dx.data(), *y = saxpy.dy.data();
  float a = 3.0f;
  int n = Saxpy::kCount;
  void *parameters[] = {&x, &y, &a, &n};
  simulator().check(
      simulator().table.hipModuleLaunchKernel(module().function("saxpy"), 16, 1, 1, 64, 1, 1, 0, nullptr, parameters, nullptr),
      "launch");
  saxpy.expectResult();
}

TEST(SimulatorProvider, LaunchesAKernelWithoutArguments) {
  EXPECT_NO_THROW(Stream(simulator()).launch(module().function("nothing"), {}, {}, "nothing"));
}

TEST(SimulatorProvider, AFaultNamesKernelInstructionAndAddress) {
  const DeviceBuffer buffer(simulator(), 64);
  const long at = 16;
  const auto [code, message] =
      failure([&] { Stream(simulator()).launch(module().function("beyond"), {}, pack(buffer.data(), at), "beyond"); });
  EXPECT_EQ(code, ExitCode::Internal);
  EXPECT_THAT(message, AllOf(HasSubstr("launch of beyond"), HasSubstr("hipErrorLaunchFailure"), HasSubstr("store"),
                             HasSubstr(fmt::format("{:x}", reinterpret_cast<uintptr_t>(buffer.data()) + 64))));
  EXPECT_EQ(simulator().table.hipGetLastError(), kSuccess); // reported once
  EXPECT_STREQ(simulator().table.ds4simLastFault(), "");
}

TEST(SimulatorProvider, InsideIsNoFault) {
  const DeviceBuffer buffer(simulator(), 64);
  const long at = 15;
  EXPECT_NO_THROW(Stream(simulator()).launch(module().function("beyond"), {}, pack(buffer.data(), at), "beyond"));
}

TEST(SimulatorProvider, FreedMemoryIsOutside) {
  std::byte *stale = DeviceBuffer(simulator(), 64).data();
  const long at = 0;
  EXPECT_EQ(failure([&] { Stream(simulator()).launch(module().function("beyond"), {}, pack(stale, at), "beyond"); }).first,
            ExitCode::Internal);
}

TEST(SimulatorProvider, CopiesBeyondAnAllocationAreRefused) {
  const HipTable &table = simulator().table;
  const DeviceBuffer buffer(simulator(), 64);
  std::byte host[128] = {};
  EXPECT_EQ(table.hipMemcpy(buffer.data(), host, 65, HostToDevice), kInvalidValue);
  EXPECT_THAT(table.ds4simLastFault(), HasSubstr("65 bytes"));
  EXPECT_EQ(table.hipMemcpy(host, buffer.data() + 32, 33, DeviceToHost), kInvalidValue);
  EXPECT_EQ(table.hipMemcpy(buffer.data(), host, 32, DeviceToDevice), kInvalidValue);
  EXPECT_EQ(table.hipMemcpy(buffer.data() + 32, host, 33, CopyDefault), kInvalidValue);
  EXPECT_EQ(table.hipMemset(buffer.data() + 1, 0, 64), kInvalidValue);
  EXPECT_EQ(table.hipMemcpy(buffer.data(), host, 1, static_cast<CopyKind>(9)), kInvalidMemcpyDirection);
  EXPECT_EQ(table.hipFree(buffer.data() + 1), kInvalidValue);
  EXPECT_EQ(table.hipGetLastError(), kInvalidValue);
  EXPECT_EQ(table.hipGetLastError(), kSuccess);
}

TEST(SimulatorProvider, CopiesWithinTheDeviceAndFills) {
  const DeviceBuffer from(simulator(), 64), to(simulator(), 64);
  from.fill(0x5a, nullptr);
  to.fill(0, nullptr);
  to.copyFrom(from, 8, 16, 4, nullptr);
  std::array<std::byte, 64> out;
  to.download(out);
  for (size_t i = 0; i < out.size(); ++i)
    EXPECT_EQ(out[i], i >= 16 && i < 20 ? std::byte{0x5a} : std::byte{0}) << i;
}

TEST(SimulatorProvider, MoreMemoryThanTheHostHasIsOutOfMemory) {
  const auto [code, message] = failure([] { DeviceBuffer(simulator(), size_t(1) << 50); });
  EXPECT_EQ(code, ExitCode::Environment);
  EXPECT_THAT(message, HasSubstr("hipErrorOutOfMemory"));
}

TEST(SimulatorProvider, PinnedMemoryIsVisibleToKernels) {
  const PinnedBuffer pinned(simulator(), 64);
  const std::byte *address = pinned.bytes().data();
  const long at = 3;
  Stream(simulator()).launch(module().function("beyond"), {}, pack(address, at), "beyond");
  int value = 0;
  std::memcpy(&value, address + 12, 4);
  EXPECT_EQ(value, 7);
}

TEST(SimulatorProvider, ImpossibleShapesAreRefused) {
  const Stream stream(simulator());
  const DeviceBuffer buffer(simulator(), 64);
  const auto outcome = [&](const char *kernel, LaunchShape shape) {
    return failure([&] { stream.launch(module().function(kernel), shape, pack(buffer.data()), kernel); }).second;
  };
  EXPECT_THAT(outcome("small", {.grid = {0, 1, 1}}), HasSubstr("0 workgroups along axis 0"));
  EXPECT_THAT(outcome("small", {.grid = {1, 70000, 1}}), HasSubstr("70000 workgroups along axis 1"));
  EXPECT_THAT(outcome("small", {.block = {0, 1, 1}}), HasSubstr("0 work-items along axis 0"));
  EXPECT_THAT(outcome("small", {.block = {96, 1, 1}}), HasSubstr("compiled for 64"));
  EXPECT_THAT(outcome("small", {.dynamicLds = 65537}), HasSubstr("65537 bytes of LDS"));
  EXPECT_EQ(outcome("small", {.block = {64, 1, 1}}), "");
}

TEST(SimulatorProvider, WrongArgumentsAreRefused) {
  const Stream stream(simulator());
  const FunctionHandle saxpy = module().function("saxpy");
  EXPECT_THAT(failure([&] { stream.launch(saxpy, {}, pack(uint64_t(0)), "saxpy"); }).second,
              HasSubstr("8 bytes of arguments, the kernel takes 24"));
  EXPECT_THAT(failure([&] { stream.launch(saxpy, {}, {}, "saxpy"); }).second, HasSubstr("no arguments"));
}

TEST(SimulatorProvider, StaleHandlesAreErrors) {
  const HipTable &table = simulator().table;
  FunctionHandle function;
  {
    const Module short_(simulator(), compileHere(kSource), "short-lived");
    function = short_.function("nothing");
  }
  EXPECT_EQ(table.hipModuleLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr), kInvalidHandle);
  StreamHandle stream;
  EXPECT_EQ(table.hipStreamCreate(&stream), kSuccess);
  EXPECT_EQ(table.hipStreamDestroy(stream), kSuccess);
  EXPECT_EQ(table.hipStreamSynchronize(stream), kInvalidHandle);
  EXPECT_EQ(table.hipStreamDestroy(stream), kInvalidHandle);
  table.hipGetLastError();
}

TEST(SimulatorProvider, UnknownKernelIsNamed) {
  EXPECT_THAT(failure([] { module().function("no_such_kernel"); }).second,
              AllOf(HasSubstr("no_such_kernel"), HasSubstr("test kernels"), HasSubstr("hipErrorNotFound")));
}

TEST(SimulatorProvider, ImagesThatAreNoCodeObjectAreRefused) {
  std::vector<std::byte> image(4096, std::byte{0x5a});
  EXPECT_THAT(failure([&] { Module(simulator(), image, "garbage"); }).second, HasSubstr("hipErrorInvalidImage"));
  image = compileHere(kSource);
  image[48] = std::byte{0x36}; // e_flags: another processor
  EXPECT_EQ(failure([&] { Module(simulator(), image, "for another chip"); }).first, ExitCode::Environment);
}

TEST(SimulatorProvider, EventsMeasureTheHostsClock) {
  const Event start(simulator()), stop(simulator());
  EXPECT_EQ(failure([&] { stop.millisecondsSince(start); }).first, ExitCode::Internal); // not recorded
  start.record(nullptr);
  stop.record(nullptr);
  stop.synchronize();
  EXPECT_GE(stop.millisecondsSince(start), 0.0f);
}

TEST(SimulatorProvider, CountsWhatLaunchesExecute) {
  const HipTable &table = simulator().table;
  Saxpy saxpy;
  table.ds4simResetCounters();
  const auto launch = [&] {
    Stream(simulator())
        .launch(module().function("saxpy"), {.grid = {16, 1, 1}, .block = {64, 1, 1}},
                pack(saxpy.dx.data(), saxpy.dy.data(), 3.0f, Saxpy::kCount), "saxpy");
  };
  launch();
  launch();
  Ds4SimCounters last, totals;
  table.ds4simLastLaunch(&last);
  table.ds4simTotals(&totals);
  EXPECT_EQ(last.launches, 1u);
  EXPECT_EQ(last.workgroups, 16u);
  EXPECT_EQ(last.waves, 32u);
  EXPECT_EQ(last.bytesLoaded, 2u * 4 * Saxpy::kCount);
  EXPECT_EQ(last.bytesStored, 4u * Saxpy::kCount);
  EXPECT_EQ(totals.launches, 2u);
  EXPECT_EQ(totals.instructions, 2 * last.instructions);
  table.ds4simResetCounters();
  table.ds4simTotals(&totals);
  EXPECT_EQ(totals.instructions, 0u);
}

TEST(SimulatorProvider, OptionsAreCheckedByNameAndValue) {
  const auto set = simulator().table.ds4simSetOption;
  EXPECT_EQ(set("threads", "1"), 0);
  EXPECT_EQ(set("threads", "2"), 0);
  EXPECT_EQ(set("threads", "0"), 1);
  EXPECT_EQ(set("threads", "two"), 1);
  EXPECT_EQ(set("wave-order", "descending"), 0);
  EXPECT_EQ(set("wave-order", "ascending"), 0);
  EXPECT_EQ(set("wave-order", "sideways"), 1);
  EXPECT_EQ(set("detect-races", "yes"), 1);
  EXPECT_EQ(set("no-such-option", "1"), 1);
  EXPECT_EQ(set(nullptr, "1"), 1);
}

TEST(SimulatorProvider, AnInstructionLimitStopsAnEndlessKernel) {
  const DeviceBuffer buffer(simulator(), 64);
  buffer.fill(0, nullptr);
  EXPECT_EQ(simulator().table.ds4simSetOption("instruction-limit", "100000"), 0);
  const auto [code, message] =
      failure([&] { Stream(simulator()).launch(module().function("forever"), {}, pack(buffer.data()), "forever"); });
  EXPECT_EQ(simulator().table.ds4simSetOption("instruction-limit", "0"), 0);
  EXPECT_EQ(code, ExitCode::Internal);
  EXPECT_THAT(message, HasSubstr("forever"));
}

// Turns an option on for the length of a scope.
class OptionOn {
public:
  explicit OptionOn(const char *name) : name_(name) { EXPECT_EQ(simulator().table.ds4simSetOption(name, "1"), 0); }
  ~OptionOn() { simulator().table.ds4simSetOption(name_, "0"); }

private:
  const char *name_;
};

TEST(SimulatorProvider, ReadingMemoryThatNothingWroteIsReportedOnRequest) {
  const OptionOn detect("detect-uninitialised");
  const DeviceBuffer from(simulator(), 128), to(simulator(), 128);
  const auto launch = [&] {
    return failure([&] { Stream(simulator()).launch(module().function("copy"), {}, pack(from.data(), to.data()), "copy"); }).second;
  };
  EXPECT_THAT(launch(), HasSubstr("ninitialised"));
  from.upload(std::vector<std::byte>(124), 0); // all but the last lane's word
  EXPECT_THAT(launch(), HasSubstr("lane 31"));
  from.upload(std::vector<std::byte>(4), 124);
  EXPECT_EQ(launch(), "");
}

TEST(SimulatorProvider, AMissingBarrierIsReportedOnRequest) {
  const DeviceBuffer buffer(simulator(), 256);
  const auto launch = [&] {
    return failure([&] {
             Stream(simulator()).launch(module().function("exchange"), {.block = {64, 1, 1}}, pack(buffer.data()), "exchange");
           })
        .second;
  };
  EXPECT_EQ(launch(), "");
  const OptionOn detect("detect-races");
  EXPECT_THAT(launch(), AllOf(HasSubstr("exchange"), HasSubstr("race")));
}

TEST(SimulatorProvider, TwoThreadsLaunchSideBySide) {
  const auto work = [](int seed, bool &right) {
    const DeviceBuffer from(simulator(), 128), to(simulator(), 128);
    right = true;
    for (int round = 0; round < 50; ++round) {
      std::array<int, 32> in, out;
      std::iota(in.begin(), in.end(), seed + round);
      from.upload(std::as_bytes(std::span(in)));
      Stream(simulator()).launch(module().function("copy"), {}, pack(from.data(), to.data()), "copy");
      to.download(std::as_writable_bytes(std::span(out)));
      right = right && in == out;
    }
  };
  bool first = false, second = false;
  std::thread other(work, 1000, std::ref(second));
  work(0, first);
  other.join();
  EXPECT_TRUE(first);
  EXPECT_TRUE(second);
}

TEST(SimulatorProvider, SelectionByNameFindsTheLibraryBesideTheBuild) {
  const auto provider = openProvider("sim");
  EXPECT_EQ(provider->kind, ProviderKind::Simulator);
  EXPECT_THAT(provider->choice, AllOf(HasSubstr("gfx1151 simulator"), HasSubstr("libds4sim.so")));
}

TEST(SimulatorProvider, TheHelperCompilesThroughIt) {
  RtcClient client(simulator().table.library, DS4_RTC);
  EXPECT_THAT(client.identity(), AllOf(HasSubstr("hipRTC 22."), HasSubstr("libds4sim.so")));
  for (int i = 0; i < 2; ++i) { // one helper serves both
    const std::vector<std::byte> code =
        client.compile({.kernel = "seven",
                        .architecture = "gfx1151",
                        .source = "#include \"v.h\"\nextern \"C\" __global__ void seven(int *p) { *p = V; }",
                        .headers = {{"v.h", "#define V 7 + EXTRA\n"}},
                        .options = {"-DEXTRA=" + std::to_string(i)}});
    const Module seven(simulator(), code, "seven");
    const DeviceBuffer buffer(simulator(), 4);
    Stream(simulator()).launch(seven.function("seven"), {}, pack(buffer.data()), "seven");
    int value = 0;
    buffer.download(std::as_writable_bytes(std::span(&value, 1)));
    EXPECT_EQ(value, 7 + i);
  }
}

TEST(SimulatorProvider, TheHelperPassesTheCompilersLogOn) {
  RtcClient client(simulator().table.library, DS4_RTC);
  const auto [code, message] = failure(
      [&] { client.compile({.kernel = "wrong", .architecture = "gfx1151", .source = "int 1x;", .headers = {}, .options = {}}); });
  EXPECT_EQ(code, ExitCode::Internal);
  EXPECT_THAT(message, AllOf(HasSubstr("kernel wrong does not compile"), HasSubstr("wrong:1:5: error:")));
}

} // namespace
} // namespace ds4::hip
