#include "runtime/providers/simulator/handlers/Lanes.h"

namespace ds4::sim::DS4_SIM_ISA {

void registerDouble(HandlerTable &table) {}

} // namespace ds4::sim::DS4_SIM_ISA
