// A kernel decoded for one instruction set of the host: what the scheduler runs.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/providers/simulator/Disassembler.h"
#include "runtime/providers/simulator/Image.h"
#include "runtime/providers/simulator/Instruction.h"

namespace ds4::sim {

class Program {
public:
  // Decodes the kernel's function and, where it calls through registers, every function of the image that is no kernel.
  // Unknown mnemonics are kept: they raise FaultKind::UnknownInstruction when a wave reaches them.
  Program(const Image &image, const Kernel &kernel, const Disassembler &disassembler, const HandlerTable &handlers);

  const Instruction *entry() const { return entry_; }
  const Instruction *begin() const { return code_.data(); }
  size_t size() const { return code_.size(); }
  const std::string &text(uint32_t index) const { return texts_[index]; }
  // The instruction at an image offset, or null.
  const Instruction *at(uint64_t pc) const;
  uint32_t vgprs() const { return vgprs_; } // registers to allocate for a wave

  // Storage that decoded operands point into.
  const uint32_t *constantRow(uint64_t value);
  const int32_t *keepPermutation(const std::array<int32_t, kLanes> &lanes);

private:
  void decode(const Image &image, Function extent, const Disassembler &disassembler, const HandlerTable &handlers);
  void add(Instruction instruction, std::string text, uint64_t pc);
  void resolveTargets();
  void countRegisters(const Instruction &instruction);

  struct Part { // one function: instructions [first, last)
    Function extent;
    uint32_t first, last;
  };
  struct alignas(64) ConstantRow {
    uint32_t words[2 * kLanes];
  };
  std::vector<Part> parts_;
  std::vector<Instruction> code_;
  std::vector<std::string> texts_;
  std::vector<int64_t> branchTargets_; // by instruction: image offset, or -1
  std::unordered_map<uint64_t, std::unique_ptr<ConstantRow>> constants_;
  std::deque<std::array<int32_t, kLanes>> permutations_;
  std::deque<std::array<Instruction, 2>> pairs_;
  const Instruction *entry_ = nullptr;
  uint32_t vgprs_ = 1;
  bool callsThroughRegisters_ = false;
};

} // namespace ds4::sim
