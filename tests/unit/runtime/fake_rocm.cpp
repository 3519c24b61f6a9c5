// libamdhip64.so.7 as a test wants it: any devices, backed by the simulator, with one call that fails.
//
// Environment, read at each call: DS4_ROCM_DEVICES lists architectures ("gfx1201,gfx1151"; empty: no device);
// HIP_VISIBLE_DEVICES hides some of them, as in HIP; DS4_ROCM_FAIL is the number, from 1, of the call that fails.
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include <dlfcn.h>

#include "runtime/hip/HipApi.h"
#include "tests/unit/runtime/FakeRocm.h"

namespace ds4::hip {
namespace {

FakeRocmLedger ledger;
thread_local int currentDevice = 0;

std::vector<std::string> split(const char *text) {
  std::vector<std::string> parts;
  std::stringstream stream(text ? text : "");
  for (std::string part; std::getline(stream, part, ',');)
    parts.push_back(part);
  return parts;
}

std::vector<std::string> visibleDevices() {
  const std::vector<std::string> all = split(std::getenv("DS4_ROCM_DEVICES"));
  const char *wanted = std::getenv("HIP_VISIBLE_DEVICES");
  if (!wanted)
    return all;
  std::vector<std::string> visible;
  for (const std::string &index : split(wanted))
    if (const size_t i = std::stoul(index); i < all.size())
      visible.push_back(all[i]);
  return visible;
}

template <typename Function> Function *real(const char *name) {
  static void *simulator = dlopen(DS4_SIM, RTLD_NOW | RTLD_LOCAL);
  return reinterpret_cast<Function *>(dlsym(simulator, name));
}

bool failsNow() {
  const char *at = std::getenv("DS4_ROCM_FAIL");
  return ++ledger.calls == (at ? std::atoi(at) : 0);
}

// Each call's name as a type.
#define DS4_TAG(name, result, parameters)                                                                                          \
  struct Call_##name {                                                                                                             \
    static constexpr const char *text = #name;                                                                                     \
  };
DS4_HIP_REQUIRED(DS4_TAG)
DS4_HIP_PROPERTIES(DS4_TAG)
DS4_RTC_REQUIRED(DS4_TAG)
#undef DS4_TAG

// --- What differs from the simulator ---

Result replace(Call_hipGetDeviceCount, int *count) { return *count = static_cast<int>(visibleDevices().size()), kSuccess; }
Result replace(Call_hipSetDevice, int device) {
  if (device < 0 || device >= static_cast<int>(visibleDevices().size()))
    return kInvalidDevice;
  ledger.initialised |= 1 << device;
  return currentDevice = device, kSuccess;
}
Result replace(Call_hipGetDevice, int *device) { return *device = currentDevice, kSuccess; }
Result replace(Call_hipDeviceGetName, char *name, int bytes, int device) {
  std::strncpy(name, ("Radeon " + std::to_string(device)).c_str(), static_cast<size_t>(bytes));
  return kSuccess;
}
Result replace(Call_hipDeviceGetAttribute, int *value, DeviceAttribute attribute, int) {
  return real<Result(int *, DeviceAttribute, int)>("hipDeviceGetAttribute")(value, attribute, 0);
}
Result replace(Call_hipGetDevicePropertiesR0600, void *properties, int device) {
  constexpr size_t kArchitecturePlace = 1160;
  std::strcpy(static_cast<char *>(properties) + kArchitecturePlace,
              (visibleDevices()[static_cast<size_t>(device)] + ":xnack-").c_str());
  return kSuccess;
}
Result replace(Call_hipGetDeviceProperties, void *properties, int device) {
  return replace(Call_hipGetDevicePropertiesR0600(), properties, device);
}

// --- What is counted ---

void note(Call_hipMalloc) { ++ledger.live; }
void note(Call_hipFree) { --ledger.live; }
void note(Call_hipHostMalloc) { ++ledger.live; }
void note(Call_hipHostFree) { --ledger.live; }
void note(Call_hipModuleLoadData) { ++ledger.live; }
void note(Call_hipModuleUnload) { --ledger.live; }
void note(Call_hipStreamCreate) { ++ledger.live; }
void note(Call_hipStreamDestroy) { --ledger.live; }
void note(Call_hipEventCreate) { ++ledger.live; }
void note(Call_hipEventDestroy) { --ledger.live; }

template <typename Call, typename Function> struct Entry;
template <typename Call, typename R, typename... A> struct Entry<Call, R(A...)> {
  static R call(A... arguments) {
    if constexpr (std::is_same_v<R, Result>)
      if (std::strncmp(Call::text, "hiprtc", 6) != 0 && std::strcmp(Call::text, "hipGetLastError") != 0 && failsNow()) {
        ledger.failed = Call::text;
        if constexpr (requires { note(Call()); })
          if (std::strstr(Call::text, "Free") || std::strstr(Call::text, "Destroy") || std::strstr(Call::text, "Unload"))
            note(Call()); // given back, as far as the caller can
        return kUnknown;
      }
    if constexpr (requires { replace(Call(), arguments...); }) {
      return replace(Call(), arguments...);
    } else {
      const R result = real<R(A...)>(Call::text)(arguments...);
      if constexpr (requires { note(Call()); })
        if (result == R())
          note(Call());
      return result;
    }
  }
};

} // namespace

#define DS4_ENTRY(name, result, parameters)                                                                                        \
  extern "C" void *resolve_##name() { return reinterpret_cast<void *>(&Entry<Call_##name, result parameters>::call); }             \
  extern "C" result name parameters __attribute__((ifunc("resolve_" #name)));
DS4_HIP_REQUIRED(DS4_ENTRY)
DS4_HIP_PROPERTIES(DS4_ENTRY)
DS4_RTC_REQUIRED(DS4_ENTRY)

extern "C" FakeRocmLedger *fakeRocmLedger() { return &ledger; }

} // namespace ds4::hip
