// Memory of the machine, as the kernel of the operating system sees it.
#pragma once

#include <cstdint>

namespace ds4 {

// Bytes that programs can still get without swapping (MemAvailable); the greatest number where that is not known.
uint64_t availableHostBytes();

} // namespace ds4
