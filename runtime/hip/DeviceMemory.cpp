#include "runtime/hip/DeviceMemory.h"

#include <fstream>

namespace ds4::hip {

std::optional<MemoryCounters> readMemoryCounters(const std::string &folder) {
  MemoryCounters counters;
  const std::pair<const char *, uint64_t *> files[] = {{"mem_info_vram_total", &counters.vramTotal},
                                                       {"mem_info_vram_used", &counters.vramUsed},
                                                       {"mem_info_gtt_total", &counters.gttTotal},
                                                       {"mem_info_gtt_used", &counters.gttUsed}};
  for (const auto &[name, value] : files)
    if (!(std::ifstream(folder + "/" + name) >> *value))
      return std::nullopt;
  return counters;
}

std::optional<MemoryCounters> memoryCounters(const HipTable &table, int device) {
  char address[64] = {};
  if (!table.hipDeviceGetPCIBusId || table.hipDeviceGetPCIBusId(address, sizeof address - 1, device) != kSuccess)
    return std::nullopt;
  std::string text = address;
  for (char &letter : text)
    letter = letter >= 'A' && letter <= 'F' ? static_cast<char>(letter - 'A' + 'a') : letter;
  return readMemoryCounters("/sys/bus/pci/devices/" + text);
}

} // namespace ds4::hip
