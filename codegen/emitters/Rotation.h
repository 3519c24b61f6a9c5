// How rope's parameters appear in a kernel: as part of the symbol, and as a table "kFrequencies" in constant memory.
#pragma once

#include <string>

#include "support/RopeTable.h"

namespace ds4 {

std::string ropeName(const RopeParameters &rope);
std::string ropeTable(const RopeParameters &rope);

} // namespace ds4
