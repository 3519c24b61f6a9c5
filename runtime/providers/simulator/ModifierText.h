// The parts of an instruction's text behind its operands: offsets, op_sel, DPP controls, cache bits.
#pragma once

#include <string_view>

#include "runtime/providers/simulator/Instruction.h"

namespace ds4::sim {

class Program;

// False when the modifier is not known, which makes the instruction unknown.
bool applyModifier(std::string_view modifier, Instruction &instruction, Program &storage);

// hwreg(HW_REG_MODE, 4, 2) as the constant that s_getreg and s_setreg encode: id, offset << 6, (size - 1) << 11.
bool parseHardwareRegister(std::string_view text, Operand &operand);

} // namespace ds4::sim
