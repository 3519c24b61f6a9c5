// LLVM's view of AMDGPU machine code: one instruction at a time, as the text its assembler accepts.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace ds4::sim {

struct Disassembled {
  std::string text; // one space behind the mnemonic, VOPD halves joined by " :: "; empty when the bytes are no instruction
  uint32_t bytes = 4;
  int64_t immediate = 0; // of a branch: the signed distance in words
};

// Not thread-safe.
class Disassembler {
public:
  // `cpu` is gfx1151 or gfx1100. Throws ds4::Error when LLVM has no AMDGPU target.
  explicit Disassembler(const std::string &cpu);
  ~Disassembler();
  Disassembled at(std::span<const uint8_t> code, uint64_t address) const;

private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

} // namespace ds4::sim
