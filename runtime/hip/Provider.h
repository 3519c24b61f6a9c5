// The device that a run uses: a provider's table, the device chosen in it, and calls checked for errors.
//
// Kinds: the AMD runtime, the gfx1151 simulator (libds4sim.so), the CUDA provider (libds4cuda.so). Code above this
// header treats them alike. Objects made through a provider must not outlive it. HIP's current device belongs to a
// thread: openProvider() sets it for the calling one, other threads call makeCurrent() first.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "runtime/hip/HipTable.h"

namespace ds4::hip {

// What ds4c compiles for on AMD.
inline constexpr std::string_view kTargetArchitecture = "gfx1151";

enum class ProviderKind { Amd, Simulator, Cuda };

struct MemoryInfo {
  size_t freeBytes = 0, totalBytes = 0;
};

class Provider {
public:
  ProviderKind kind = ProviderKind::Amd;
  HipTable table;
  int device = 0;           // ordinal within the provider
  std::string deviceName;   // as the provider calls it, "AMD Radeon 8060S"
  std::string architecture; // "gfx1151", without feature suffixes
  std::string choice;       // one line on what was chosen and why, for stderr

  // Throws ds4::Error for any result but success: what was called, the error's name and text, how to mend it. A fault
  // of a kernel or a wrong argument is Internal, everything else Environment.
  void check(Result result, std::string_view call) const;

  void makeCurrent() const { check(table.hipSetDevice(device), "hipSetDevice"); }
  void synchronize() const { check(table.hipDeviceSynchronize(), "hipDeviceSynchronize"); }
  MemoryInfo memory() const;
  int attribute(DeviceAttribute attribute) const;
  int driverVersion() const;
  int runtimeVersion() const;
};

// `device` is what --device takes:
//   "auto"   a gfx1151 of the AMD runtime where there is one, else the simulator
//   "hip"    the first gfx1151 of the AMD runtime;  "hip:N" its device N, whatever that is
//   "sim"    the simulator
//   "cuda"   the CUDA provider's first device
// Throws ds4::Error: User for any other text, Environment when the library or the device is not there.
std::shared_ptr<const Provider> openProvider(std::string_view device);

// Of a device, without initialising it: "gfx1151" without feature suffixes, and what its maker calls it. "" when the provider
// does not tell.
std::string architectureOf(const HipTable &table, int device);
std::string deviceNameOf(const HipTable &table, int device);
// Why /dev/kfd cannot be used: it is absent, or this user may not open it; "" when it can.
std::string kfdProblem(const std::string &path = "/dev/kfd");
// How a provider that is missing is had.
std::string_view remedyOf(ProviderKind kind);

// As above from given libraries (names or paths, as for dlopen), device `ordinal`, or the first of the architecture
// "gfx1151" when it is negative.
std::shared_ptr<const Provider> openProvider(ProviderKind kind, std::span<const std::string> candidates, int ordinal);

} // namespace ds4::hip
