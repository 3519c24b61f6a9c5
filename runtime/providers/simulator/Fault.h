// Raising faults from where they are noticed: inside a handler or in the scheduler.
#pragma once

#include "runtime/providers/simulator/Machine.h"
#include "runtime/providers/simulator/Wave.h"

namespace ds4::sim {

// Throws a Fault with kernel, instruction, workgroup, wave, lane and address of the instruction that `wave` is running.
// `detail` completes the sentence, for example "load of 16 bytes outside of every allocation".
[[noreturn]] void raiseFault(const Wave &wave, FaultKind kind, uint32_t lane, uint64_t address, const char *detail,
                             uint64_t bytes = 0);

// The handler of instructions that the simulator does not know.
void raiseUnknownInstruction(Wave &wave, const Instruction &instruction);

const char *faultName(FaultKind kind);

} // namespace ds4::sim
