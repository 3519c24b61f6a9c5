// The decoded form of an instruction and the table that maps mnemonics to the functions that execute them.
//
// A Handler runs one instruction for all 32 lanes. Operands are bound when a kernel is decoded: registers by index,
// constants as rows of 32 equal words in the type that the handler's signature names. Instructions are immutable and
// shared by all threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "runtime/providers/simulator/Wave.h"

namespace ds4::sim {

using Handler = void (*)(Wave &, const Instruction &);

enum class OperandKind : uint8_t { None, Vector, Scalar, Constant, Off };

// A source or destination. `words` counts 32-bit registers as the text names them: v[4:7] has 4.
struct Operand {
  enum Modifier : uint8_t { Negate = 1, Absolute = 2, High = 4 };
  OperandKind kind = OperandKind::None;
  uint8_t words = 1;
  uint8_t modifiers = 0;         // High: the upper 16 bits (v3.h or op_sel), for 16-bit types
  uint8_t half = 0;              // 1: the text named .l or .h
  uint16_t reg = 0;              // VGPR index or ScalarRegister
  uint64_t value = 0;            // of a Constant, in the operand's type
  const uint32_t *row = nullptr; // Constant: 32 times the low word, then 32 times the high word
  bool is(OperandKind k) const { return kind == k; }
  bool high() const { return modifiers & High; }
};

// What a wave instruction counts as in Counters.
enum class InstructionClass : uint8_t {
  Valu,
  Vopd,
  Transcendental,
  Dot,
  Wmma,
  Salu,
  Smem,
  VmemLoad,
  VmemStore,
  VmemAtomic,
  Scratch,
  Lds,
  Branch,
  Wait,
  Barrier,
  Other,
  Count
};

struct Instruction {
  Handler run = nullptr;
  Operand dst;
  Operand src[4];                           // in text order without destinations; an accumulating handler's destination is appended
  const int32_t *lanePermutation = nullptr; // DPP: source lane of each lane, for src[0]
  const Instruction *pair = nullptr;        // VOPD: the two halves, X then Y
  const Instruction *target = nullptr;      // branches
  uint32_t index = 0;                       // in the Program
  uint32_t pc = 0;                          // byte offset in the image
  int32_t offset = 0, offset1 = 0;          // memory: offset, or offset0 and offset1 in units of the access
  uint32_t dppWriteMask = ~0u;              // row_mask and bank_mask as lanes
  uint32_t dppValidLanes = ~0u;             // lanes whose source lane exists
  uint16_t carryReg = kNull;                // second destination of carry-out instructions and v_div_scale
  uint8_t sources = 0;
  uint8_t outputModifier = 0; // 1: times 2, 2: times 4, 3: divided by 2
  uint8_t opSel = 0, opSelHi = 0xf, negLo = 0, negHi = 0;
  bool clamp = false, dpp = false, boundControl = false, fetchInactive = false, globallyCoherent = false;
  bool hasOpSelHi = false; // op_sel_hi was written: v_fma_mix defaults to 0, packed instructions to all ones
  bool deferY = false;     // VOPD: Y reads what X writes
  InstructionClass kind = InstructionClass::Other;
};

// How the decoder has to bind the operands of a mnemonic.
enum HandlerFlags : uint8_t {
  kAccumulates = 1,   // the destination is read as the last source (v_fmac, v_dot2c)
  kCarryOut = 2,      // a scalar destination follows the vector one
  kNoDestination = 4, // all operands are sources (stores, compares into EXEC, s_cmp)
  kMemory = 8,        // operands are addresses and data registers; no constants to bind
  kBranch = 16,       // the target comes from the 16-bit immediate
  kNoOperands = 32,   // the text behind the mnemonic is of no interest (waits, barriers)
  kCalls = 64,        // a branch that keeps its return address in its first operand
};

// `types` has one letter for the destination and one for each source: U 32-bit integer or untyped, F f32, H f16,
// W 16-bit integer, L 64-bit integer, D f64. It decides how inline constants and literals are widened.
struct HandlerInfo {
  Handler run = nullptr;
  const char *types = "";
  uint8_t flags = 0;
};

// Mnemonics without encoding suffix (_e32, _e64, _dpp) and with v_dual_ as v_. An entry "name_clamp" serves instructions
// with the clamp bit where that is an integer saturation.
class HandlerTable {
public:
  HandlerTable();
  ~HandlerTable();
  void add(const char *mnemonic, HandlerInfo info);
  const HandlerInfo *find(const char *mnemonic, size_t length) const;
  size_t size() const;
  std::vector<std::string_view> mnemonics() const; // unordered

private:
  struct Entries;
  Entries *entries_;
};

// The handlers are compiled for two instruction sets.
enum class Isa : uint8_t { Avx2, Avx512 };

// The best set this CPU runs; throws ds4::Error (Environment) on a CPU without AVX2, FMA and F16C.
Isa bestIsa();
const HandlerTable &handlerTable(Isa isa);

namespace avx2 {
void registerAll(HandlerTable &table);
}
namespace avx512 {
void registerAll(HandlerTable &table);
}

} // namespace ds4::sim
