// The runtime over an AMD library that presents several devices, none, or one that fails at any call.
#include <cstdlib>

#include <dlfcn.h>
#include <gmock/gmock.h>

#include "runtime/Executor.h"
#include "runtime/hip/DeviceList.h"
#include "tests/unit/Failure.h"
#include "tests/unit/runtime/AddPlan.h"
#include "tests/unit/runtime/FakeRocm.h"

namespace ds4 {
namespace {

using hip::FakeRocmLedger;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

const std::vector<std::string> kLibrary{DS4_FAKE_ROCM};

FakeRocmLedger &ledger() {
  static auto *of = reinterpret_cast<FakeRocmLedger *(*)()>(dlsym(dlopen(DS4_FAKE_ROCM, RTLD_NOW), "fakeRocmLedger"));
  return *of();
}

class DeviceFaults : public testing::Test {
protected:
  void SetUp() override {
    ledger() = {};
    present("gfx1201,gfx1151");
    unsetenv("DS4_ROCM_FAIL");
    unsetenv("HIP_VISIBLE_DEVICES");
  }
  void TearDown() override { SetUp(); }
  static void present(const char *devices) { setenv("DS4_ROCM_DEVICES", devices, 1); }
};

TEST_F(DeviceFaults, TheTargetIsChosenAmongOthersAndNoOtherIsInitialised) {
  const auto provider = hip::openProvider(hip::ProviderKind::Amd, kLibrary, -1);
  EXPECT_EQ(provider->device, 1);
  EXPECT_EQ(provider->architecture, "gfx1151");
  EXPECT_EQ(ledger().initialised, 2);
}

TEST_F(DeviceFaults, HiddenDevicesAreNotThere) {
  setenv("HIP_VISIBLE_DEVICES", "1", 1);
  EXPECT_EQ(hip::openProvider(hip::ProviderKind::Amd, kLibrary, -1)->device, 0);
  setenv("HIP_VISIBLE_DEVICES", "0", 1);
  const auto [code, message] = test::failure([] { hip::openProvider(hip::ProviderKind::Amd, kLibrary, -1); });
  EXPECT_EQ(code, ExitCode::Environment);
  EXPECT_THAT(message, AllOf(HasSubstr("no gfx1151 among the devices"), HasSubstr("Radeon 0 (gfx1201)")));
}

TEST_F(DeviceFaults, NoDeviceIsOneLine) {
  present("");
  const auto [code, message] = test::failure([] { hip::openProvider(hip::ProviderKind::Amd, kLibrary, -1); });
  EXPECT_EQ(code, ExitCode::Environment);
  EXPECT_THAT(message, AllOf(HasSubstr("hipErrorNoDevice"), HasSubstr("no usable AMD GPU"), Not(HasSubstr("\n"))));
}

TEST_F(DeviceFaults, ListingInitialisesNothing) {
  const hip::ListedProvider list = hip::listProvider(hip::ProviderKind::Amd, kLibrary);
  ASSERT_THAT(list.devices, SizeIs(2));
  EXPECT_EQ(list.devices[0].architecture, "gfx1201");
  EXPECT_EQ(list.devices[0].refusal, "kernels are for gfx1151");
  EXPECT_EQ(list.devices[1].choice, "hip:1");
  EXPECT_EQ(list.devices[1].refusal, "");
  EXPECT_EQ(list.devices[1].computeUnits, 40);
  EXPECT_EQ(list.runtimeVersion, 70000000);
  EXPECT_EQ(ledger().initialised, 0);
  present("");
  const hip::ListedProvider none = hip::listProvider(hip::ProviderKind::Amd, kLibrary);
  EXPECT_THAT(none.devices, IsEmpty());
  EXPECT_THAT(none.failure, HasSubstr("hipErrorNoDevice"));
  EXPECT_THAT(hip::listProvider(hip::ProviderKind::Amd, std::vector<std::string>{"libnone.so.1"}).failure,
              HasSubstr("libnone.so.1"));
}

TEST_F(DeviceFaults, WhyTheDriversDoorIsClosedIsTold) {
  EXPECT_THAT(hip::kfdProblem("/no/such/kfd"), HasSubstr("is not there"));
  EXPECT_EQ(hip::kfdProblem("/dev/null"), "");
}

Plan smallPlan() {
  static const std::vector<std::byte> code =
      hip::RtcClient(DS4_SIM, DS4_RTC)
          .compile({.kernel = "add", .architecture = "gfx1151", .source = test::kAddSource, .headers = {}, .options = {"-O3"}});
  return test::addPlan(code);
}

float loadAndStep(Plan plan) {
  test::Halves weights;
  Executor executor(hip::openProvider(hip::ProviderKind::Amd, kLibrary, -1), std::move(plan), weights);
  const std::vector<int32_t> token{3};
  executor.step({.tokens = token});
  executor.step({.pos = 1, .tokens = token});
  return executor.output("out")[7];
}

TEST_F(DeviceFaults, EveryCallThatFailsIsAnErrorOfTheEnvironmentAndLeavesNothing) {
  const Plan plan = smallPlan();
  ledger() = {};
  EXPECT_EQ(loadAndStep(plan), 0.5f + 0.5f + 1);
  EXPECT_EQ(ledger().live, 0);
  const int calls = ledger().calls;
  EXPECT_GT(calls, 25);
  bool otherFailed = false;
  for (int at = 1; at <= calls; ++at) {
    ledger() = {};
    setenv("DS4_ROCM_FAIL", std::to_string(at).c_str(), 1);
    const auto [code, message] = test::failure([&] { loadAndStep(plan); });
    const std::string failed = ledger().failed;
    EXPECT_NE(failed, "") << "call " << at;
    const bool givesBack =
        failed.find("Free") != failed.npos || failed.find("Destroy") != failed.npos || failed.find("Unload") != failed.npos;
    const bool cosmetic = failed == "hipDeviceGetName";
    const bool otherDevice = failed == "hipGetDevicePropertiesR0600" && !std::exchange(otherFailed, true); // passed over
    EXPECT_EQ(code, givesBack || cosmetic || otherDevice ? ExitCode::Success : ExitCode::Environment)
        << failed << ", call " << at << ": " << message;
    EXPECT_THAT(message, Not(HasSubstr("\n")));
    EXPECT_EQ(ledger().live, 0) << "after a failure of " << failed << ", call " << at;
  }
}

} // namespace
} // namespace ds4
