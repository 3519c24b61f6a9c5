// Which lanes of which registers hold values computed from written data, in the manner of memcheck: arithmetic passes
// undefinedness on, and a fault is raised where it would matter: in an address, in data that are stored, in EXEC, in a branch.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/providers/simulator/Instruction.h"

namespace ds4::sim {

class Validity {
public:
  // Only v0 and the first `scalarInputs` SGPRs are defined when a wave starts.
  void start(const Wave &wave, uint32_t scalarInputs);
  // Checks the instruction, runs it and notes what it defines.
  void run(Wave &wave, const Instruction &in);

private:
  void checkUses(const Wave &wave, const Instruction &in) const;
  void require(const Wave &wave, const Operand &operand, uint32_t lanes, const char *use) const;
  // Lanes of the low and the high result word. The low word of a 64-bit sum or product does not depend on high words,
  // which compilers leave undefined on purpose.
  struct Defined {
    uint32_t low = ~0u, high = ~0u;
  };
  Defined definedLanes(const Wave &wave, const Instruction &in) const;
  uint32_t definedLanes(const Wave &wave, const Instruction &in, uint32_t words) const;
  uint32_t lanesOf(const Operand &operand, uint32_t words) const;
  void define(const Wave &wave, const Instruction &in, uint32_t exec, Defined defined);

  std::vector<uint32_t> vector_; // one bit a lane
  std::vector<bool> scalar_;
};

} // namespace ds4::sim
