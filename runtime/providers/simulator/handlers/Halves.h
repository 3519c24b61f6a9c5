// The 16-bit operands of packed instructions and dot products.
#pragma once

#include "runtime/providers/simulator/handlers/Numerics.h"

namespace ds4::sim::DS4_SIM_ISA {

// Which half of source k the low (half 0) or the high operation takes, by op_sel or op_sel_hi, and whether neg_lo or
// neg_hi flips its sign, which is for floats only.
struct HalfOperand {
  uint32_t shift, flip;
  HalfOperand(const Instruction &in, int k, int half, bool isFloat)
      : shift(((half ? in.opSelHi : in.opSel) >> k) & 1 ? 16 : 0),
        flip(isFloat && (((half ? in.negHi : in.negLo) >> k) & 1) ? 0x8000 : 0) {}
  uint16_t of(uint32_t word) const { return uint16_t((word >> shift) ^ flip); }
};

} // namespace ds4::sim::DS4_SIM_ISA
