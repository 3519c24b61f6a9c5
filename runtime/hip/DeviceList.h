// Every device that a run could use, and why it can or cannot.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/hip/DeviceMemory.h"
#include "runtime/hip/Provider.h"

namespace ds4::hip {

struct ListedDevice {
  std::string choice; // for --device: "hip:1"
  std::string name, architecture;
  int computeUnits = 0;
  uint64_t totalBytes = 0;                // as HIP reports it, 0 when it does not
  std::optional<MemoryCounters> counters; // as the driver reports it
  std::string refusal;                    // why plans for gfx1151 do not run on it; "" when they do
};

struct ListedProvider {
  std::string title;   // "AMD"
  std::string library; // "" when none could be loaded
  int driverVersion = 0, runtimeVersion = 0;
  std::string failure; // why there are no devices, in one line; "" when there are some
  std::vector<ListedDevice> devices;
};

// Asks the libraries without initialising any device.
ListedProvider listProvider(ProviderKind kind, std::span<const std::string> candidates);
// AMD, simulator, CUDA, in this order.
std::vector<ListedProvider> listProviders();

} // namespace ds4::hip
