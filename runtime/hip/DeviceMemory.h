// What the amdgpu driver counts for a device: HIP's own figures differ between versions and settings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runtime/hip/HipTable.h"

namespace ds4::hip {

// In bytes. VRAM of an APU is the carve-out that the firmware made; GTT is the machine's memory that the device may use.
struct MemoryCounters {
  uint64_t vramTotal = 0, vramUsed = 0, gttTotal = 0, gttUsed = 0;
};

// Nothing where the provider or the system does not tell.
std::optional<MemoryCounters> memoryCounters(const HipTable &table, int device);

// The same from the folder of a PCI device, "/sys/bus/pci/devices/0000:c5:00.0".
std::optional<MemoryCounters> readMemoryCounters(const std::string &folder);

} // namespace ds4::hip
