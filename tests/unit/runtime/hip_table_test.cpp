#include <fstream>

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

const std::vector<std::string> kFake{DS4_FAKE_HIP};

TEST(HipTable, MissingLibrariesListEveryPathAndReason) {
  const auto [code, message] =
      failure([] { loadHip(std::vector<std::string>{"libno-such-hip.so.9", "/no/such/folder/libamdhip64.so"}, "a remedy"); });
  EXPECT_EQ(code, ExitCode::Environment);
  EXPECT_THAT(message, AllOf(HasSubstr("libno-such-hip.so.9: cannot open shared object file"),
                             HasSubstr("/no/such/folder/libamdhip64.so: cannot open shared object file"), HasSubstr("a remedy"),
                             Not(HasSubstr("\n"))));
}

TEST(HipTable, AFileThatIsNoLibraryIsNamedWithTheReason) {
  const std::string path = testing::TempDir() + "not-a-library.so";
  std::ofstream(path) << "text";
  EXPECT_THAT(failure([&] { loadHip(std::vector{path}, ""); }).second, HasSubstr(path));
}

TEST(HipTable, AMissingEntryPointIsNamed) {
  EXPECT_THAT(failure([] { loadHip(std::vector<std::string>{DS4_FAKE_HIP_INCOMPLETE}, ""); }).second,
              HasSubstr("lacks hipGetDeviceProperties"));
  EXPECT_THAT(failure([] { loadRtc(kFake); }).second, AllOf(HasSubstr("lacks hiprtcVersion"), HasSubstr("hiprtcGetCode")));
}

TEST(HipTable, LaterCandidatesAreTried) {
  const HipTable table = loadHip(std::vector<std::string>{"libno-such-hip.so.9", DS4_FAKE_HIP}, "");
  EXPECT_EQ(table.library, DS4_FAKE_HIP);
  EXPECT_EQ(table.ds4simLastFault, nullptr);
}

TEST(HipTable, RtcIsLookedForBesideHipInTheSameVersion) {
  EXPECT_THAT(rtcCandidates("/opt/rocm/lib/libamdhip64.so.6"),
              ElementsAre("/opt/rocm/lib/libhiprtc.so.6", "/opt/rocm/lib/libamdhip64.so.6"));
  EXPECT_THAT(rtcCandidates("/usr/lib/libds4sim.so"), ElementsAre("/usr/lib/libds4sim.so"));
}

TEST(HipTable, OwnProvidersAreLookedForAroundTheExecutableFirst) {
  const std::vector<std::string> candidates = ownProviderCandidates("libds4sim.so");
  EXPECT_THAT(candidates.front(), HasSubstr("/lib/libds4sim.so"));
  EXPECT_EQ(candidates.back(), "libds4sim.so");
}

TEST(Provider, TakesTheDeviceOfTheArchitectureNotTheFirst) {
  const auto provider = openProvider(ProviderKind::Amd, kFake, -1);
  EXPECT_EQ(provider->device, 1);
  EXPECT_EQ(provider->architecture, "gfx1151");
  EXPECT_EQ(provider->deviceName, "AMD Radeon 8060S");
  EXPECT_THAT(provider->choice, AllOf(HasSubstr("gfx1151"), HasSubstr(DS4_FAKE_HIP)));
  int current = -1;
  provider->check(provider->table.hipGetDevice(&current), "hipGetDevice");
  EXPECT_EQ(current, 1);
}

TEST(Provider, TakesANumberedDeviceWhateverItIs) {
  const auto provider = openProvider(ProviderKind::Amd, kFake, 0);
  EXPECT_EQ(provider->device, 0);
  EXPECT_EQ(provider->architecture, "gfx1036");
}

TEST(Provider, ADeviceThatIsNotThereIsTheEnvironments) {
  const auto [code, message] = failure([] { openProvider(ProviderKind::Amd, kFake, 2); });
  EXPECT_EQ(code, ExitCode::Environment);
  EXPECT_THAT(message, HasSubstr("device 2 does not exist"));
}

TEST(Provider, UnknownDeviceTextIsAUsersError) {
  for (const char *text : {"", "gpu", "hip:", "hip:x", "hip:-1", "hip:1 ", "SIM"}) {
    const auto [code, message] = failure([&] { openProvider(text); });
    EXPECT_EQ(code, ExitCode::User) << text;
    EXPECT_THAT(message, HasSubstr("use auto, hip, hip:N, sim or cuda"));
  }
}

TEST(Provider, MissingCudaProviderNamesThePaths) {
  const std::vector<std::string> nowhere{"/nowhere/libds4cuda.so"};
  const auto [code, message] = failure([&] { openProvider(ProviderKind::Cuda, nowhere, 0); });
  EXPECT_EQ(code, ExitCode::Environment);
  EXPECT_THAT(message, HasSubstr("/nowhere/libds4cuda.so"));
}

TEST(Provider, FailedCallsSayWhatNameTextAndHint) {
  const auto provider = openProvider(ProviderKind::Amd, kFake, -1);
  const auto [code, message] = failure([&] { DeviceBuffer(*provider, 5000); });
  EXPECT_EQ(code, ExitCode::Environment);
  EXPECT_THAT(message, AllOf(HasSubstr("hipMalloc of 5000 bytes"), HasSubstr("hipErrorOfTheFake"), HasSubstr("text of the fake"),
                             HasSubstr("smaller model")));
}

TEST(Provider, WrongArchitectureOfACodeObjectIsTheEnvironments) {
  const auto provider = openProvider(ProviderKind::Amd, kFake, -1);
  const auto [code, message] = failure([&] { Module(*provider, std::as_bytes(std::span("x")), "the plan's kernels"); });
  EXPECT_EQ(code, ExitCode::Environment);
  EXPECT_THAT(message, AllOf(HasSubstr("the plan's kernels"), HasSubstr("gfx1151"), HasSubstr("compile the plan anew")));
}

TEST(Provider, AFailedLaunchIsOurs) {
  const auto provider = openProvider(ProviderKind::Amd, kFake, -1);
  const auto [code, message] = failure([&] { Stream(*provider).launch(nullptr, {}, {}, "ds4_rms_norm"); });
  EXPECT_EQ(code, ExitCode::Internal);
  EXPECT_THAT(message, HasSubstr("launch of ds4_rms_norm"));
}

TEST(DeviceBuffer, CopiesThereAndBackAndRefusesToLeaveItself) {
  const auto provider = openProvider(ProviderKind::Amd, kFake, -1);
  const DeviceBuffer buffer(*provider, 8);
  const std::array<std::byte, 4> in{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}};
  std::array<std::byte, 4> out{};
  buffer.upload(in, 4);
  buffer.download(out, 4);
  EXPECT_EQ(out, in);
  EXPECT_EQ(failure([&] { buffer.upload(in, 5); }).first, ExitCode::Internal);
  EXPECT_EQ(failure([&] { buffer.download(out, SIZE_MAX); }).first, ExitCode::Internal);
}

TEST(DeviceBuffer, MovingHandsTheMemoryOver) {
  const auto provider = openProvider(ProviderKind::Amd, kFake, -1);
  DeviceBuffer first(*provider, 8);
  const std::byte *address = first.data();
  DeviceBuffer second(std::move(first));
  EXPECT_EQ(second.data(), address);
  EXPECT_FALSE(first);
  first = std::move(second);
  EXPECT_EQ(first.data(), address);
  EXPECT_EQ(first.size(), 8u);
}

} // namespace
} // namespace ds4::hip
