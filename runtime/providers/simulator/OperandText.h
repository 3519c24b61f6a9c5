// Binds an instruction's printed text to the decoded form. LLVM's tables of named operands are private to its AMDGPU
// target, and its opcodes come in tens of thousands of variants; the text is canonical and has about a thousand mnemonics.
#pragma once

#include <string_view>

#include "runtime/providers/simulator/Instruction.h"
#include "runtime/providers/simulator/Program.h"

namespace ds4::sim {

// One instruction, or one half of a VOPD pair. An instruction that has no handler or an operand that is not understood
// comes back with a null `run`.
Instruction bindText(std::string_view text, const HandlerTable &handlers, Program &storage);

// The key of a mnemonic in the HandlerTable: without encoding suffixes, v_dual_ and _rtn.
std::string handlerKey(std::string_view mnemonic);

InstructionClass classify(std::string_view mnemonic);

} // namespace ds4::sim
