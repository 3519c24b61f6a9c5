// Runs a table: a kernel around each row, each case compared with its expected state.
#include "tests/simulator/MnemonicTable.h"

#include <cstddef>
#include <memory>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "runtime/providers/simulator/Machine.h"
#include "tests/simulator/Assembler.h"

namespace ds4::sim::test {
namespace {

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
  auto pointAt = [&](size_t offset) { body += fmt::format("  s_add_u32 s36, s34, {}\n  s_addc_u32 s37, s35, 0\n", offset); };
  if (usesLds) {
    pointAt(offsetof(State, lds));
    body += "  global_load_b128 v[44:47], v41, s[36:37]\n  global_load_b128 v[48:51], v41, s[36:37] offset:512\n"
            "  s_waitcnt vmcnt(0)\n  ds_store_b128 v41, v[44:47]\n  ds_store_b128 v41, v[48:51] offset:512\n";
  }
  for (unsigned reg = 0; reg < kRegisters; ++reg)
    body += fmt::format("  global_load_b32 v{}, v40, s[34:35] offset:{}\n", reg, reg * sizeof(State::v[0]));
  body += fmt::format(
      "  s_load_b512 s[0:15], s[34:35], {}\n  s_load_b512 s[16:31], s[34:35], {}\n  s_load_b128 s[40:43], s[34:35], {}\n",
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

bool mentionsLds(const std::string &text) {
  return text.find("ds_") != std::string::npos || text.find("flat_") != std::string::npos;
}

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

} // namespace

uint64_t memoryAddress() { return reinterpret_cast<uint64_t>(deviceState().memory.data()); }

void runTable(const MnemonicTable &table, bool forceAvx2) {
  const Rows rows = table.rows();
  std::vector<AssemblyKernel> kernels;
  for (size_t index = 0; index < rows.size(); ++index) {
    const std::string &text = rows[index].text;
    bool usesLds = mentionsLds(text),
         usesScratch = text.find("scratch_") != std::string::npos || text.find("flat_") != std::string::npos;
    kernels.push_back(
        {fmt::format("row{}", index), kernelBody(text, usesLds), usesLds ? kMemoryBytes : 0, usesScratch ? 256u : 0u});
  }
  std::shared_ptr<CodeObject> object = CodeObject::load(assemble(kernels));
  Memory memory;
  memory.add(&deviceState(), sizeof(State));
  for (size_t index = 0; index < rows.size(); ++index)
    for (size_t number = 0; number < rows[index].cases.size(); ++number)
      if (std::string problem = runCase(rows[index].cases[number], object, kernels[index].name, memory, forceAvx2);
          !problem.empty()) {
        ADD_FAILURE() << rows[index].text << "  (case " << number << ")\n" << problem;
        break;
      }
}

} // namespace ds4::sim::test
