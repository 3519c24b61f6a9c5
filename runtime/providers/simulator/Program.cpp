#include "runtime/providers/simulator/Program.h"

#include "runtime/providers/simulator/Fault.h"
#include "runtime/providers/simulator/OperandText.h"
#include "support/Error.h"

#include <algorithm>

namespace ds4::sim {

Program::Program(const Image &image, const Kernel &kernel, const Disassembler &disassembler, const HandlerTable &handlers) {
  auto function = image.functions.upper_bound(kernel.entry);
  if (function == image.functions.begin() || (--function)->second.end <= kernel.entry)
    userError("code object: kernel {} has no function symbol at its entry: rebuild it without stripping", kernel.name);
  decode(image, function->second, disassembler, handlers);
  if (callsThroughRegisters_) {
    const uint64_t own = function->first;
    for (const auto &[begin, extent] : image.functions) {
      const auto isEntry = [begin = begin](const auto &item) { return item.second.entry == begin; };
      if (begin != own && std::none_of(image.kernels.begin(), image.kernels.end(), isEntry))
        decode(image, extent, disassembler, handlers);
    }
  }
  resolveTargets();
  entry_ = at(kernel.entry);
  vgprs_ = std::max(vgprs_, kernel.vgprs);
}

void Program::decode(const Image &image, Function extent, const Disassembler &disassembler, const HandlerTable &handlers) {
  const auto *bytes = reinterpret_cast<const uint8_t *>(image.base());
  const uint32_t first = uint32_t(code_.size());
  for (uint64_t pc = extent.begin; pc < extent.end;) {
    const Disassembled one = disassembler.at({bytes + pc, image.size - pc}, pc);
    if (one.text.empty()) {
      add({}, fmt::format(".long {:#010x}", *reinterpret_cast<const uint32_t *>(bytes + pc)), pc);
      pc += 4;
      continue;
    }
    const std::string_view text = one.text, mnemonic = text.substr(0, text.find(' '));
    callsThroughRegisters_ |= mnemonic == "s_swappc_b64" || mnemonic == "s_setpc_b64" || mnemonic == "s_call_b64";
    Instruction instruction;
    if (const size_t middle = text.find(" :: "); middle != text.npos) {
      auto &pair = pairs_.emplace_back();
      pair = {bindText(text.substr(0, middle), handlers, *this), bindText(text.substr(middle + 4), handlers, *this)};
      const HandlerInfo *info = handlers.find("vopd", 4);
      instruction.kind = InstructionClass::Vopd;
      if (info && pair[0].run && pair[1].run) {
        instruction.run = info->run;
        instruction.pair = pair.data();
      }
      for (int k = 0; k < pair[1].sources; k++)
        instruction.deferY |= pair[1].src[k].is(OperandKind::Vector) && pair[1].src[k].reg == pair[0].dst.reg;
      countRegisters(pair[0]);
      countRegisters(pair[1]);
    } else {
      instruction = bindText(text, handlers, *this);
    }
    const HandlerInfo *info = handlers.find(mnemonic.data(), mnemonic.size());
    const bool branches = info && info->flags & kBranch;
    add(instruction, one.text, pc);
    if (branches)
      branchTargets_.back() = int64_t(pc) + 4 + one.immediate * 4;
    pc += one.bytes;
  }
  parts_.push_back({extent, first, uint32_t(code_.size())});
  add({}, "<end of the function>", extent.end); // what a wave meets that runs off the end
}

void Program::add(Instruction instruction, std::string text, uint64_t pc) {
  instruction.index = uint32_t(code_.size());
  instruction.pc = uint32_t(pc);
  if (!instruction.run)
    instruction.run = raiseUnknownInstruction;
  countRegisters(instruction);
  code_.push_back(instruction);
  texts_.push_back(std::move(text));
  branchTargets_.push_back(-1);
}

void Program::resolveTargets() {
  for (size_t k = 0; k < code_.size(); k++) {
    if (branchTargets_[k] < 0)
      continue;
    code_[k].target = at(uint64_t(branchTargets_[k]));
    if (!code_[k].target)
      code_[k].run = raiseUnknownInstruction;
  }
  branchTargets_ = {};
}

const Instruction *Program::at(uint64_t pc) const {
  for (const Part &part : parts_) {
    if (pc < part.extent.begin || pc >= part.extent.end)
      continue;
    const auto last = code_.begin() + part.last;
    const auto place = std::lower_bound(code_.begin() + part.first, last, pc,
                                        [](const Instruction &one, uint64_t wanted) { return one.pc < wanted; });
    return place != last && place->pc == pc ? &*place : nullptr;
  }
  return nullptr;
}

const uint32_t *Program::constantRow(uint64_t value) {
  auto &row = constants_[value];
  if (!row) {
    row = std::make_unique<ConstantRow>();
    std::fill_n(row->words, kLanes, uint32_t(value));
    std::fill_n(row->words + kLanes, kLanes, uint32_t(value >> 32));
  }
  return row->words;
}

const int32_t *Program::keepPermutation(const std::array<int32_t, kLanes> &lanes) {
  return permutations_.emplace_back(lanes).data();
}

void Program::countRegisters(const Instruction &instruction) {
  const auto count = [this](const Operand &operand) {
    if (operand.is(OperandKind::Vector))
      vgprs_ = std::max<uint32_t>(vgprs_, operand.reg + operand.words);
  };
  count(instruction.dst);
  for (const Operand &operand : instruction.src)
    count(operand);
}

} // namespace ds4::sim
