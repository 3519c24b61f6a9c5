#include "tests/simulator/MnemonicTable.h"

#include <cmath>
#include <cstddef>
#include <cstring>
#include <memory>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "runtime/providers/simulator/Machine.h"
#include "tests/simulator/Assembler.h"

namespace ds4::sim::test {
namespace {

constexpr uint32_t kSomeLanes = 0x3ca55ac3;

State &deviceState() {
  static State state;
  return state;
}

// Each register and lane starts with its own value.
void fillPattern(State &state) {
  uint32_t seed = 0x9e3779b9;
  auto next = [&] { return seed = seed * 1664525 + 1013904223; };
  for (auto &reg : state.v)
    for (uint32_t &lane : reg)
      lane = next();
  for (uint32_t &reg : state.s)
    reg = next();
  state.vcc = next();
  state.exec = ~0u;
  state.m0 = next();
  state.scc = 1;
  for (uint8_t &byte : state.lds)
    byte = uint8_t(next() >> 24);
  for (uint8_t &byte : state.memory)
    byte = uint8_t(next() >> 24);
}

// s[34:35] holds the State's address, v40 the lane's byte offset, v41 its 16-byte one, s[36:37] the address of the scalars.
std::string kernelBody(const std::string &text, bool usesLds) {
  std::string body = "  s_load_b64 s[34:35], s[0:1], 0x0\n  v_and_b32 v40, 31, v0\n  v_lshlrev_b32 v41, 4, v40\n"
                     "  v_lshlrev_b32 v40, 2, v40\n  s_waitcnt lgkmcnt(0)\n";
  auto pointAt = [&](size_t offset) {
    body += fmt::format("  s_add_u32 s36, s34, {}\n  s_addc_u32 s37, s35, 0\n", offset);
  };
  if (usesLds) {
    pointAt(offsetof(State, lds));
    body += "  global_load_b128 v[44:47], v41, s[36:37]\n  global_load_b128 v[48:51], v41, s[36:37] offset:512\n"
            "  s_waitcnt vmcnt(0)\n  ds_store_b128 v41, v[44:47]\n  ds_store_b128 v41, v[48:51] offset:512\n";
  }
  for (unsigned reg = 0; reg < kRegisters; ++reg)
    body += fmt::format("  global_load_b32 v{}, v40, s[34:35] offset:{}\n", reg, reg * sizeof(State::v[0]));
  body += fmt::format("  s_load_b512 s[0:15], s[34:35], {}\n  s_load_b512 s[16:31], s[34:35], {}\n  s_load_b128 s[40:43], s[34:35], {}\n",
                      offsetof(State, s), offsetof(State, s) + 64, offsetof(State, vcc));
  body += "  s_waitcnt vmcnt(0) lgkmcnt(0)\n  s_mov_b32 vcc_lo, s40\n  s_mov_b32 m0, s42\n  s_cmp_lg_u32 s43, 0\n"
          "  s_mov_b32 exec_lo, s41\n";
  body += text;
  body += "\n  s_waitcnt vmcnt(0) lgkmcnt(0)\n  s_mov_b32 s41, exec_lo\n  s_mov_b32 exec_lo, -1\n  s_cselect_b32 s43, 1, 0\n"
          "  s_mov_b32 s40, vcc_lo\n  s_mov_b32 s42, m0\n  v_mov_b32 v42, 0\n";
  for (unsigned reg = 0; reg < kRegisters; ++reg)
    body += fmt::format("  global_store_b32 v40, v{}, s[34:35] offset:{}\n", reg, reg * sizeof(State::v[0]));
  pointAt(offsetof(State, s));
  for (unsigned reg = 0; reg < kRegisters + 4; ++reg)
    body += fmt::format("  v_mov_b32 v43, s{}\n  global_store_b32 v42, v43, s[36:37] offset:{}\n", reg < kRegisters ? reg : reg + 8,
                        reg * 4);
  if (usesLds) {
    pointAt(offsetof(State, lds));
    body += "  ds_load_b128 v[44:47], v41\n  ds_load_b128 v[48:51], v41 offset:512\n  s_waitcnt lgkmcnt(0)\n"
            "  global_store_b128 v41, v[44:47], s[36:37]\n  global_store_b128 v41, v[48:51], s[36:37] offset:512\n";
  }
  return body + "  s_endpgm\n";
}

bool mentionsLds(const std::string &text) { return text.find("ds_") != std::string::npos || text.find("flat_") != std::string::npos; }

std::string hex(uint64_t value) { return fmt::format("{:#x}", value); }

class Mismatches {
public:
  void add(const std::string &where, uint64_t expected, uint64_t actual) {
    if (count_++ < 4)
      text_ += fmt::format("  {}: expected {}, got {}\n", where, hex(expected), hex(actual));
  }
  std::string text() const { return count_ > 4 ? text_ + fmt::format("  and {} more\n", count_ - 4) : text_; }

private:
  unsigned count_ = 0;
  std::string text_;
};

// Compares one result by its value and then takes the actual bits over, so that the plain comparison passes them.
void compareResult(const Case::Result &result, const State &actual, State &expected, Mismatches &mismatches) {
  const unsigned reg = result.reg, lane = result.lane;
  uint64_t bits = result.value.words() == 2 ? actual.v64(reg, lane) : actual.v[reg][lane];
  uint64_t compared = result.value.half() ? bits & 0xffff : bits;
  if (!result.value.matches(compared))
    mismatches.add(fmt::format("v{} lane {}", reg, lane), result.value.bits, compared);
  if (result.value.words() == 2)
    expected.setV64(reg, lane, bits);
  else if (result.value.half())
    expected.v[reg][lane] = (expected.v[reg][lane] & 0xffff0000) | uint32_t(compared);
  else
    expected.v[reg][lane] = uint32_t(bits);
}

std::string compareStates(const Case &test, State &expected, const State &actual) {
  Mismatches mismatches;
  for (const Case::Result &result : test.results)
    if (expected.active(result.lane))
      compareResult(result, actual, expected, mismatches);
  if (test.scalar) {
    uint64_t bits = actual.s[kResult] | (test.scalar->words() == 2 ? uint64_t(actual.s[kResult + 1]) << 32 : 0);
    if (test.scalar->half())
      bits &= 0xffff;
    if (!test.scalar->matches(bits))
      mismatches.add("s8", test.scalar->bits, bits);
    for (unsigned word = 0; word < test.scalar->words(); ++word)
      expected.s[kResult + word] = actual.s[kResult + word];
  }
  for (unsigned reg = 0; reg < kRegisters; ++reg)
    for (unsigned lane = 0; lane < kLanes; ++lane)
      if (expected.v[reg][lane] != actual.v[reg][lane])
        mismatches.add(fmt::format("v{} lane {}", reg, lane), expected.v[reg][lane], actual.v[reg][lane]);
  auto compare = [&](const std::string &name, uint64_t want, uint64_t got) {
    if (want != got)
      mismatches.add(name, want, got);
  };
  for (unsigned reg = 0; reg < kRegisters; ++reg)
    compare(fmt::format("s{}", reg), expected.s[reg], actual.s[reg]);
  compare("vcc", expected.vcc, actual.vcc);
  compare("exec", expected.exec, actual.exec);
  compare("m0", expected.m0, actual.m0);
  compare("scc", expected.scc, actual.scc);
  for (unsigned at = 0; at < kMemoryBytes; ++at) {
    compare(fmt::format("LDS byte {}", at), expected.lds[at], actual.lds[at]);
    compare(fmt::format("memory byte {}", at), expected.memory[at], actual.memory[at]);
  }
  return mismatches.text();
}

std::string runCase(const Case &test, const std::shared_ptr<CodeObject> &object, const std::string &kernel, Memory &memory,
                    bool forceAvx2) {
  State &device = deviceState();
  fillPattern(device);
  test.input(device);
  State expected = device;
  test.expected(expected);
  State *argument = &device;
  Launch launch;
  launch.object = object;
  launch.kernel = object->find(kernel);
  launch.arguments = std::as_bytes(std::span(&argument, 1));
  Options options;
  options.threads = 1;
  options.forceAvx2 = forceAvx2;
  try {
    run(launch, memory, options);
  } catch (const Fault &fault) {
    return fmt::format("  {}\n", fault.what());
  }
  return compareStates(test, expected, device);
}

std::string registerName(char file, unsigned first, unsigned words) {
  return words == 1 ? fmt::format("{}{}", file, first) : fmt::format("{}[{}:{}]", file, first, first + words - 1);
}

std::string destinationName(const Value &result) {
  return registerName('v', kResult, result.words()) + (result.half() ? ".l" : "");
}

void replacePlaceholder(std::string &text, const std::string &placeholder, const std::string &with) {
  for (size_t at = text.find(placeholder); at != std::string::npos; at = text.find(placeholder, at + with.size()))
    text.replace(at, placeholder.size(), with);
}

// "v_add_f32" becomes "v_add_f32 v8, v0, v2"; placeholders of a full text are filled in. `destination` may be empty.
std::string instructionText(std::string_view mnemonic, char file, const std::string &destination, std::vector<Value> in,
                            std::string_view modifiers) {
  std::string text(mnemonic);
  if (text.find_first_of(" {") == std::string::npos) {
    text += destination.empty() ? " " : " {d}, ";
    for (size_t k = 0; k < in.size(); ++k)
      text += fmt::format("{}{{{}}}", k ? ", " : "", k);
    if (in.empty())
      text.erase(text.find_last_not_of(", ") + 1);
  }
  replacePlaceholder(text, "{d}", destination);
  for (size_t k = 0; k < in.size(); ++k)
    replacePlaceholder(text, fmt::format("{{{}}}", k),
                       registerName(file, unsigned(2 * k), in[k].words()) + (file == 'v' && in[k].half() ? ".l" : ""));
  return text + (modifiers.empty() ? "" : " ") + std::string(modifiers);
}

void place(State &state, unsigned reg, unsigned lane, const Value &value) {
  if (value.words() == 2)
    state.setV64(reg, lane, value.bits);
  else if (value.half())
    state.v[reg][lane] = (state.v[reg][lane] & 0xffff0000) | uint32_t(value.bits);
  else
    state.v[reg][lane] = uint32_t(value.bits);
}

// All lanes, and some.
std::vector<Case> overExec(const Case &test) {
  Case some = test;
  some.input = [input = test.input](State &state) {
    input(state);
    state.exec = kSomeLanes;
  };
  return {test, some};
}

Row laneRow(std::string text, std::vector<LaneCase> cases, bool lastInDestination) {
  Case test;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    test.results.push_back({kResult, lane, cases[lane % cases.size()].out});
  test.input = [cases, lastInDestination](State &state) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const std::vector<Value> &in = cases[lane % cases.size()].in;
      for (size_t k = 0; k < in.size(); ++k)
        place(state, lastInDestination && k + 1 == in.size() ? kResult : unsigned(2 * k), lane, in[k]);
    }
  };
  test.expected = [](State &) {};
  return {std::move(text), overExec(test)};
}

} // namespace

void State::setV64(unsigned reg, unsigned lane, uint64_t value) {
  v[reg][lane] = uint32_t(value);
  v[reg + 1][lane] = uint32_t(value >> 32);
}

void State::setS64(unsigned reg, uint64_t value) {
  s[reg] = uint32_t(value);
  s[reg + 1] = uint32_t(value >> 32);
}

uint64_t memoryAddress() { return reinterpret_cast<uint64_t>(deviceState().memory.data()); }

bool Value::matches(uint64_t actual) const {
  auto asDouble = [&](uint64_t x) -> double {
    switch (type) {
    case Type::F16: return double(std::bit_cast<_Float16>(uint16_t(x)));
    case Type::F32: return std::bit_cast<float>(uint32_t(x));
    case Type::F64: return std::bit_cast<double>(x);
    default: return 0;
    }
  };
  if (bits == actual)
    return true;
  if (std::isnan(asDouble(bits)) || std::isnan(asDouble(actual)))
    return std::isnan(asDouble(bits)) && std::isnan(asDouble(actual));
  return ulps && std::signbit(asDouble(bits)) == std::signbit(asDouble(actual)) &&
         (bits > actual ? bits - actual : actual - bits) <= ulps;
}

Value near(Value value, unsigned ulps) {
  value.ulps = ulps;
  return value;
}

uint32_t packHalves(float low, float high) { return pack(uint32_t(h(low).bits), uint32_t(h(high).bits)); }

Row lanes(std::string_view mnemonic, std::vector<LaneCase> cases, std::string_view modifiers) {
  const LaneCase &first = cases.front();
  return laneRow(instructionText(mnemonic, 'v', destinationName(first.out), first.in, modifiers), cases, false);
}

Row accumulates(std::string_view mnemonic, std::vector<LaneCase> cases, std::string_view modifiers) {
  std::vector<Value> in = cases.front().in;
  in.pop_back();
  return laneRow(instructionText(mnemonic, 'v', destinationName(cases.front().out), in, modifiers), cases, true);
}

std::vector<Row> compares(std::string_view mnemonic, std::vector<CompareCase> cases) {
  enum class Mask { Vcc, Sgpr, Exec };
  auto make = [&](std::string text, Mask mask) {
    Case test;
    test.input = [cases](State &state) {
      for (unsigned lane = 0; lane < kLanes; ++lane)
        for (size_t k = 0; k < cases[lane % cases.size()].in.size(); ++k)
          place(state, unsigned(2 * k), lane, cases[lane % cases.size()].in[k]);
    };
    test.expected = [cases, mask](State &state) {
      uint32_t bits = 0;
      for (unsigned lane = 0; lane < kLanes; ++lane)
        bits |= uint32_t(cases[lane % cases.size()].out && state.active(lane)) << lane;
      (mask == Mask::Vcc ? state.vcc : mask == Mask::Sgpr ? state.s[kResult] : state.exec) = bits;
    };
    return Row{std::move(text), overExec(test)};
  };
  std::string name(mnemonic), shortForm = name + "_e32", longForm = name + "_e64";
  const std::vector<Value> &in = cases.front().in;
  std::string exclusive = "v_cmpx" + name.substr(std::string_view("v_cmp").size());
  return {make(instructionText(shortForm, 'v', "vcc_lo", in, ""), Mask::Vcc),
          make(instructionText(longForm, 'v', "s8", in, ""), Mask::Sgpr),
          make(instructionText(exclusive + "_e32", 'v', "", in, ""), Mask::Exec),
          make(instructionText(exclusive + "_e64", 'v', "", in, ""), Mask::Exec)};
}

Row scalars(std::string_view mnemonic, std::vector<ScalarCase> cases) {
  const ScalarCase &first = cases.front();
  std::string destination = registerName('s', kResult, first.out.words());
  Row row{instructionText(mnemonic, 's', destination, first.in, ""), {}};
  for (const ScalarCase &given : cases) {
    auto add = [&](bool before, bool after) {
      Case test;
      test.scalar = given.out;
      test.input = [in = given.in, before](State &state) {
        for (size_t k = 0; k < in.size(); ++k) {
          state.s[2 * k] = uint32_t(in[k].bits);
          if (in[k].words() == 2)
            state.s[2 * k + 1] = uint32_t(in[k].bits >> 32);
        }
        state.scc = before;
      };
      test.expected = [after](State &state) { state.scc = after; };
      row.cases.push_back(test);
    };
    for (bool before : {false, true})
      if (given.sccIn.value_or(before) == before)
        add(before, given.scc.value_or(before));
  }
  return row;
}

Row wave(std::string text, std::function<void(State &)> input, std::function<void(State &)> expected) {
  return {std::move(text), {Case{std::move(input), std::move(expected), {}, {}}}};
}

Rows join(std::initializer_list<Rows> parts) {
  Rows all;
  for (const Rows &part : parts)
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

static std::vector<MnemonicTable> &registry() {
  static std::vector<MnemonicTable> tables;
  return tables;
}

MnemonicTable::MnemonicTable(std::string familyName, std::function<Rows()> makeRows)
    : family(std::move(familyName)), rows(std::move(makeRows)) {
  registry().push_back(*this);
}

const std::vector<MnemonicTable> &MnemonicTable::all() { return registry(); }

std::set<std::string> mnemonicsOf(std::string_view text) {
  std::set<std::string> names;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);)
    for (size_t at = 0; at != std::string::npos; at = line.find("::", at)) {
      at = line.find_first_not_of(": ", at);
      if (at == std::string::npos || line[at] == 'L')
        break;
      std::string name = line.substr(at, line.find(' ', at) - at);
      for (std::string_view suffix : {"_dpp", "_e32", "_e64"})
        if (name.ends_with(suffix))
          name.resize(name.size() - suffix.size());
      names.insert(name);
    }
  return names;
}

void runTable(const MnemonicTable &table, bool forceAvx2) {
  const Rows rows = table.rows();
  std::vector<AssemblyKernel> kernels;
  for (size_t index = 0; index < rows.size(); ++index) {
    const std::string &text = rows[index].text;
    bool usesLds = mentionsLds(text), usesScratch = text.find("scratch_") != std::string::npos || text.find("flat_") != std::string::npos;
    kernels.push_back({fmt::format("row{}", index), kernelBody(text, usesLds), usesLds ? kMemoryBytes : 0, usesScratch ? 256u : 0u});
  }
  std::shared_ptr<CodeObject> object = CodeObject::load(assemble(kernels));
  Memory memory;
  memory.add(&deviceState(), sizeof(State));
  for (size_t index = 0; index < rows.size(); ++index)
    for (size_t number = 0; number < rows[index].cases.size(); ++number)
      if (std::string problem = runCase(rows[index].cases[number], object, kernels[index].name, memory, forceAvx2); !problem.empty()) {
        ADD_FAILURE() << rows[index].text << "  (case " << number << ")\n" << problem;
        break;
      }
}

} // namespace ds4::sim::test
