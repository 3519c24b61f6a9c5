#include "runtime/providers/simulator/handlers/Families.h"

namespace ds4::sim::DS4_SIM_ISA {

void registerAll(HandlerTable &table) {
  registerValuFloat(table);
  registerValuHalf(table);
  registerValuInteger(table);
  registerValuConvert(table);
  registerValuCarry(table);
  registerDivision(table);
  registerDouble(table);
  registerCompare(table);
  registerCrossLane(table);
  registerPacked(table);
  registerDot(table);
  registerWmma(table);
  registerVopd(table);
  registerSalu(table);
  registerSaluFloat(table);
  registerControl(table);
  registerScalarMemory(table);
  registerGlobalMemory(table);
  registerFlatMemory(table);
  registerScratchMemory(table);
  registerLds(table);
  registerAtomics(table);
}

} // namespace ds4::sim::DS4_SIM_ISA
