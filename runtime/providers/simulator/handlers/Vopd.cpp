// VOPD: two vector instructions in one. Both read their sources before either writes.
#include "runtime/providers/simulator/handlers/Lanes.h"

namespace ds4::sim::DS4_SIM_ISA {

// Where Y reads X's destination, Y runs on the old value and X's result is put in place afterwards.
static void pairHandler(Wave &wave, const Instruction &in) {
  const Instruction &x = in.pair[0], &y = in.pair[1];
  if (!in.deferY) {
    x.run(wave, x);
    y.run(wave, y);
    return;
  }
  uint32_t *destination = wave.vgpr(x.dst.reg);
  Row before, after;
  memcpy(before.lane, destination, sizeof before.lane);
  x.run(wave, x);
  memcpy(after.lane, destination, sizeof after.lane);
  memcpy(destination, before.lane, sizeof before.lane);
  y.run(wave, y);
  memcpy(destination, after.lane, sizeof after.lane);
}

void registerVopd(HandlerTable &table) { table.add("vopd", {pairHandler, "", kNoOperands}); }

} // namespace ds4::sim::DS4_SIM_ISA
