#include "runtime/providers/simulator/handlers/Lanes.h"

namespace ds4::sim::DS4_SIM_ISA {

void registerWmma(HandlerTable &table) {}

} // namespace ds4::sim::DS4_SIM_ISA
