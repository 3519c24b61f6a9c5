#include "runtime/providers/simulator/Fault.h"

#include "runtime/providers/simulator/Program.h"
#include "runtime/providers/simulator/Worker.h"

#include <algorithm>

#include <fmt/format.h>

namespace ds4::sim {

const char *faultName(FaultKind kind) {
  switch (kind) {
  case FaultKind::GlobalOutOfBounds:
    return "global access out of bounds";
  case FaultKind::LdsOutOfBounds:
    return "LDS access out of bounds";
  case FaultKind::ScratchOutOfBounds:
    return "scratch access out of bounds";
  case FaultKind::LdsRace:
    return "LDS race";
  case FaultKind::UninitialisedRead:
    return "uninitialised read";
  case FaultKind::Misaligned:
    return "misaligned access";
  case FaultKind::UnknownInstruction:
    return "unknown instruction";
  case FaultKind::Deadlock:
    return "deadlock";
  case FaultKind::Timeout:
    return "timeout";
  case FaultKind::Trap:
    return "trap";
  }
  return "fault";
}

void raiseFault(const Wave &wave, FaultKind kind, uint32_t lane, uint64_t address, const char *detail, uint64_t bytes) {
  const LaunchState &launch = *wave.worker->launch;
  const Instruction &in = *std::max(wave.next - 1, launch.program->begin());
  const std::string &text = launch.program->text(in.index);
  const std::string measure = bytes ? fmt::format("{} of {} bytes", detail, bytes) : detail;
  const Workgroup &group = *wave.group;
  const uint64_t pc = in.pc - launch.kernel->entry;
  Fault fault(kind, fmt::format("{}: {}, address {:#x}, in kernel {} at +{:#x} `{}`, workgroup ({}, {}, {}), wave {}, lane {}",
                                faultName(kind), measure, address, launch.kernel->name, pc, text, group.id[0], group.id[1],
                                group.id[2], wave.id, lane));
  fault.kernel = launch.kernel->name;
  fault.instruction = text;
  fault.pc = pc;
  fault.workgroup = group.id;
  fault.wave = wave.id;
  fault.lane = lane;
  fault.address = address;
  throw fault;
}

void raiseUnknownInstruction(Wave &wave, const Instruction &) {
  raiseFault(wave, FaultKind::UnknownInstruction, 0, 0, "the simulator has no handler for it");
}

uint64_t addressOf(const Wave &wave, const Instruction *instruction) {
  return reinterpret_cast<uint64_t>(wave.worker->launch->image) + instruction->pc;
}

const Instruction *instructionAt(const Wave &wave, uint64_t address) {
  const LaunchState &launch = *wave.worker->launch;
  const Instruction *found = launch.program->at(address - reinterpret_cast<uint64_t>(launch.image));
  if (!found)
    raiseFault(wave, FaultKind::UnknownInstruction, 0, address, "a jump out of the code");
  return found;
}

} // namespace ds4::sim
