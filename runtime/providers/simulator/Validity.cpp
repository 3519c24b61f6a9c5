#include "runtime/providers/simulator/Validity.h"

#include "runtime/providers/simulator/Fault.h"
#include "runtime/providers/simulator/Program.h"
#include "runtime/providers/simulator/Worker.h"

#include <algorithm>
#include <string_view>

namespace ds4::sim {

namespace {

bool isMemory(InstructionClass kind) {
  using enum InstructionClass;
  return kind == VmemLoad || kind == VmemStore || kind == VmemAtomic || kind == Scratch || kind == Lds || kind == Smem;
}

// Instructions in which a lane's result depends on other lanes' sources.
bool crossesLanes(const Instruction &in) { return in.kind == InstructionClass::Wmma || in.dst.is(OperandKind::Scalar); }

} // namespace

void Validity::start(const Wave &wave, uint32_t scalarInputs) {
  vector_.assign(wave.vgprs, 0);
  vector_[0] = ~0u;
  scalar_.assign(kScalarRegisters, false);
  std::fill_n(scalar_.begin(), scalarInputs, true);
  for (int reg : {int(kExec), kExec + 1, int(kNull)})
    scalar_[reg] = true;
}

// Of the first `words` words of the operand.
uint32_t Validity::lanesOf(const Operand &operand, uint32_t words) const {
  uint32_t lanes = ~0u;
  words = std::min<uint32_t>(words, operand.words);
  if (operand.is(OperandKind::Vector))
    for (uint32_t k = 0; k < words; k++)
      lanes &= vector_[operand.reg + k];
  if (operand.is(OperandKind::Scalar))
    for (uint32_t k = 0; k < words && operand.reg + k < kScalarRegisters; k++)
      lanes &= scalar_[operand.reg + k] || operand.reg == kNull ? ~0u : 0;
  return lanes;
}

void Validity::require(const Wave &wave, const Operand &operand, uint32_t lanes, const char *use) const {
  if (const uint32_t missing = lanes & ~lanesOf(operand, operand.words))
    raiseFault(wave, FaultKind::UninitialisedRead, uint32_t(__builtin_ctz(missing)), operand.reg, use);
}

void Validity::checkUses(const Wave &wave, const Instruction &in) const {
  if (isMemory(in.kind)) {
    const bool stores = in.kind != InstructionClass::VmemLoad && in.kind != InstructionClass::Smem;
    for (int k = 0; k < in.sources; k++) {
      const bool address = k == 0 || in.src[k].is(OperandKind::Scalar);
      if (address || stores)
        require(wave, in.src[k], wave.exec(),
                address ? "an address from a register that nothing has written" : "data from a register that nothing has written");
    }
  } else if (in.kind == InstructionClass::Branch) {
    const std::string_view text = wave.worker->launch->program->text(in.index);
    Operand condition{OperandKind::Scalar, 1, 0, 0, kScc, 0, nullptr};
    if (text.find("_vcc") != text.npos)
      condition.reg = kVcc;
    else if (text.find("_scc") == text.npos)
      return;
    require(wave, condition, ~0u, "a branch on a condition that nothing has written");
  }
}

Validity::Defined Validity::definedLanes(const Wave &wave, const Instruction &in) const {
  if (isMemory(in.kind))
    return {};
  const uint32_t all = definedLanes(wave, in, UINT8_MAX);
  return {in.dst.words == 2 ? definedLanes(wave, in, 1) : all, all};
}

uint32_t Validity::definedLanes(const Wave &wave, const Instruction &in, uint32_t words) const {
  uint32_t defined = ~0u;
  for (int k = 0; k < in.sources; k++) {
    uint32_t lanes = lanesOf(in.src[k], words);
    if (k == 0 && in.dpp) {
      uint32_t moved = 0;
      for (int l = 0; l < kLanes; l++) // a source that cannot be read counts as 0, which is defined
        moved |= ((lanes >> in.lanePermutation[l] & 1) | (~(wave.exec() & in.dppValidLanes) >> in.lanePermutation[l] & 1)) << l;
      lanes = moved;
    }
    defined &= lanes;
  }
  if (crossesLanes(in))
    defined = (defined | ~wave.exec()) == ~0u ? ~0u : 0;
  return defined;
}

void Validity::define(const Wave &wave, const Instruction &in, uint32_t exec, Defined defined) {
  const auto wordOf = [defined](uint32_t k) { return k == 0 ? defined.low : defined.high; };
  if (in.dst.is(OperandKind::Vector))
    for (uint32_t k = 0; k < in.dst.words; k++) {
      uint32_t &lanes = vector_[in.dst.reg + k];
      lanes = (lanes & ~exec) | (wordOf(k) & exec);
    }
  if (in.dst.is(OperandKind::Scalar))
    for (uint32_t k = 0; k < in.dst.words && in.dst.reg + k < kScalarRegisters; k++)
      scalar_[in.dst.reg + k] = wordOf(k) == ~0u || in.dst.reg == kNull;
  const uint32_t all = defined.low & defined.high;
  if (in.carryReg != kNull)
    scalar_[in.carryReg] = (all | ~exec) == ~0u;
  const bool noResult = in.dst.is(OperandKind::None);
  if (in.kind == InstructionClass::Valu && noResult && (all | ~exec) != ~0u) // v_cmpx
    scalar_[kExec] = false;
  if (in.kind == InstructionClass::Salu && (noResult || all == ~0u))
    scalar_[kScc] = all == ~0u;
  if (!scalar_[kExec])
    raiseFault(wave, FaultKind::UninitialisedRead, 0, kExec, "an EXEC mask from a register that nothing has written");
}

void Validity::run(Wave &wave, const Instruction &in) {
  checkUses(wave, in);
  const uint32_t exec = wave.exec();
  if (in.pair) {
    const Defined x = definedLanes(wave, in.pair[0]), y = definedLanes(wave, in.pair[1]);
    in.run(wave, in);
    define(wave, in.pair[0], exec, x);
    define(wave, in.pair[1], exec, y);
    return;
  }
  const Defined defined = definedLanes(wave, in);
  in.run(wave, in);
  define(wave, in, in.kind == InstructionClass::Wmma ? ~0u : exec, defined);
}

} // namespace ds4::sim
