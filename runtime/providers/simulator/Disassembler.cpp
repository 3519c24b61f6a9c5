#include "runtime/providers/simulator/Disassembler.h"

#include "support/Error.h"

#include <algorithm>
#include <mutex>

#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstPrinter.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Triple.h>

extern "C" {
void LLVMInitializeAMDGPUTargetInfo(void);
void LLVMInitializeAMDGPUTargetMC(void);
void LLVMInitializeAMDGPUDisassembler(void);
}

namespace ds4::sim {

struct Disassembler::Parts {
  llvm::Triple triple{"amdgcn-amd-amdhsa"};
  llvm::MCTargetOptions options;
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> asmInfo;
  std::unique_ptr<llvm::MCInstrInfo> instructions;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
  std::unique_ptr<llvm::MCContext> context;
  std::unique_ptr<llvm::MCDisassembler> disassembler;
  std::unique_ptr<llvm::MCInstPrinter> printer;
};

Disassembler::Disassembler(const std::string &cpu) : parts_(std::make_unique<Parts>()) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUDisassembler();
  });
  Parts &p = *parts_;
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(p.triple, error);
  if (!target)
    environmentError("simulator: this LLVM has no AMDGPU target: {}", error);
  p.registers.reset(target->createMCRegInfo(p.triple));
  p.asmInfo.reset(target->createMCAsmInfo(*p.registers, p.triple, p.options));
  p.instructions.reset(target->createMCInstrInfo());
  p.subtarget.reset(target->createMCSubtargetInfo(p.triple, cpu, ""));
  p.context = std::make_unique<llvm::MCContext>(p.triple, p.asmInfo.get(), p.registers.get(), p.subtarget.get());
  p.disassembler.reset(target->createMCDisassembler(*p.subtarget, *p.context));
  p.printer.reset(target->createMCInstPrinter(p.triple, 0, *p.asmInfo, *p.instructions, *p.registers));
  if (!p.disassembler || !p.printer)
    environmentError("simulator: this LLVM has no AMDGPU disassembler: install LLVM 22 with the AMDGPU target");
}

Disassembler::~Disassembler() = default;

Disassembled Disassembler::at(std::span<const uint8_t> code, uint64_t address) const {
  Disassembled result;
  llvm::MCInst instruction;
  uint64_t size = 0;
  const auto status = parts_->disassembler->getInstruction(instruction, size, llvm::ArrayRef<uint8_t>(code.data(), code.size()),
                                                           address, llvm::nulls());
  if (status == llvm::MCDisassembler::Fail)
    return result;
  llvm::raw_string_ostream stream(result.text);
  parts_->printer->printInst(&instruction, address, "", *parts_->subtarget, stream);
  std::replace(result.text.begin(), result.text.end(), '\t', ' ');
  result.text.erase(0, result.text.find_first_not_of(' '));
  result.bytes = uint32_t(size);
  for (const llvm::MCOperand &operand : instruction)
    if (operand.isImm()) {
      result.immediate = int16_t(operand.getImm());
      break;
    }
  return result;
}

} // namespace ds4::sim
