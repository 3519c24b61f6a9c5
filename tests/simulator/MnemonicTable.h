// Tables of single instructions with the results the ISA defines, run on the simulator.
//
// A row is one instruction (or a few) in assembly text and the cases it runs on. A kernel around it loads a State into
// registers, LDS and memory, executes the text and stores everything back. All of the State must be as expected, so a
// row also proves that the instruction changes nothing else: other registers, inactive lanes, the other half of a
// 16-bit destination, SCC. Expected values come from the ISA's definition, never from a run.
//
// The text may use v0..v31, s0..s31, VCC, EXEC, M0, SCC and v60..v63 as scratch. The helpers below place operand i in
// v[2i] or s[2i] (64-bit values in the pair) and the result in v8 or s8.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace ds4::sim::test {

constexpr unsigned kLanes = 32, kRegisters = 32, kMemoryBytes = 1024;
constexpr unsigned kResult = 8; // v8 or s8

// What an instruction can read and write. Lives where the kernel finds it, so addresses of `memory` are device addresses.
struct State {
  uint32_t v[kRegisters][kLanes];
  uint32_t s[kRegisters];
  uint32_t vcc, exec, m0, scc;
  alignas(16) std::array<uint8_t, kMemoryBytes> lds;
  alignas(16) std::array<uint8_t, kMemoryBytes> memory;

  uint64_t v64(unsigned reg, unsigned lane) const { return v[reg][lane] | uint64_t(v[reg + 1][lane]) << 32; }
  void setV64(unsigned reg, unsigned lane, uint64_t value);
  void setS64(unsigned reg, uint64_t value);
  bool active(unsigned lane) const { return exec >> lane & 1; }
  // Keeps inactive lanes.
  void setActive(unsigned reg, unsigned lane, uint32_t value) { v[reg][lane] = active(lane) ? value : v[reg][lane]; }
};

// The device address of State::memory during a run.
uint64_t memoryAddress();

// A register's content with the type it is compared as: floats match bit for bit, except that any NaN matches a NaN
// and that `ulps` steps of difference are allowed.
struct Value {
  enum class Type { B16, F16, B32, F32, B64, F64 };
  uint64_t bits = 0;
  Type type = Type::B32;
  unsigned ulps = 0;

  Value(float x) : bits(std::bit_cast<uint32_t>(x)), type(Type::F32) {}
  Value(double x) : bits(std::bit_cast<uint64_t>(x)), type(Type::F64) {}
  Value(_Float16 x) : bits(std::bit_cast<uint16_t>(x)), type(Type::F16) {}
  template <typename T>
    requires std::is_integral_v<T>
  Value(T x)
      : bits(sizeof(T) == 8   ? uint64_t(x)
             : sizeof(T) == 2 ? uint16_t(x)
                              : uint32_t(x)),
        type(sizeof(T) == 8   ? Type::B64
             : sizeof(T) == 2 ? Type::B16
                              : Type::B32) {}

  unsigned words() const { return type >= Type::B64 ? 2 : 1; }
  bool half() const { return type <= Type::F16; }
  bool matches(uint64_t actual) const;
};

Value near(Value value, unsigned ulps);
inline Value h(float x) { return Value(static_cast<_Float16>(x)); }
inline Value b16(uint32_t x) { return Value(static_cast<uint16_t>(x)); }
constexpr uint32_t pack(uint32_t low, uint32_t high) { return (low & 0xffff) | high << 16; }
uint32_t packHalves(float low, float high);

struct Case {
  std::function<void(State &)> input;    // changes the pattern that every register starts with
  std::function<void(State &)> expected; // turns the input state into the expected one
  struct Result {
    unsigned reg, lane;
    Value value;
  };
  std::vector<Result> results; // vector registers compared by Value::matches
  std::optional<Value> scalar; // s8 likewise
};

struct Row {
  std::string text;
  std::vector<Case> cases;
};

// One lane's operands and result.
struct LaneCase {
  std::vector<Value> in;
  Value out;
};

// `mnemonic` alone gets operands and `modifiers`; text with placeholders {d}, {0}, {1}, ... is taken as it stands.
// Runs with all lanes and with some inactive. Up to 32 cases; they repeat over the lanes.
Row lanes(std::string_view mnemonic, std::vector<LaneCase> cases, std::string_view modifiers = "");

// The last operand of each case lies in the destination: v_fmac and kin.
Row accumulates(std::string_view mnemonic, std::vector<LaneCase> cases, std::string_view modifiers = "");

// Comparisons: the mask goes to VCC and, in the long encoding, to an SGPR; inactive lanes read 0. The v_cmpx form of
// the same mnemonic leaves the mask in EXEC.
struct CompareCase {
  std::vector<Value> in;
  bool out;
};
std::vector<Row> compares(std::string_view mnemonic, std::vector<CompareCase> cases);

// Scalar instructions. SCC: written as given, or kept.
struct ScalarCase {
  std::vector<Value> in;
  Value out;
  std::optional<bool> scc = {};
  std::optional<bool> sccIn = {};
};
Row scalars(std::string_view mnemonic, std::vector<ScalarCase> cases);

// Whole-wave instructions: any text, an input and the definition.
Row wave(std::string text, std::function<void(State &)> input, std::function<void(State &)> expected);

using Rows = std::vector<Row>;
Rows join(std::initializer_list<Rows> parts);

// A table registers itself under its family's name; `rows` is called when the table is run.
class MnemonicTable {
public:
  MnemonicTable(std::string family, std::function<Rows()> rows);
  static const std::vector<MnemonicTable> &all();

  std::string family;
  std::function<Rows()> rows;
};

// Keys of the HandlerTable that the text makes the decoder look up.
std::set<std::string> handlersOf(std::string_view text);

// Runs all rows of a table and reports each mismatch as a test failure.
void runTable(const MnemonicTable &table, bool forceAvx2);

} // namespace ds4::sim::test
