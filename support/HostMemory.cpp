#include "support/HostMemory.h"

#include <fstream>
#include <limits>
#include <string>

namespace ds4 {

uint64_t availableHostBytes() {
  std::ifstream file("/proc/meminfo");
  std::string name, unit;
  for (uint64_t kibibytes = 0; file >> name >> kibibytes && std::getline(file, unit);)
    if (name == "MemAvailable:")
      return kibibytes * 1024;
  return std::numeric_limits<uint64_t>::max();
}

} // namespace ds4
