#include "tests/simulator/MnemonicTable.h"

#include <cmath>
#include <sstream>

#include <fmt/format.h>

#include "runtime/providers/simulator/OperandText.h"

namespace ds4::sim::test {
namespace {

constexpr uint32_t kSomeLanes = 0x3ca55ac3;

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

bool Value::matches(uint64_t actual) const {
  auto asDouble = [&](uint64_t x) -> double {
    switch (type) {
    case Type::F16:
      return double(std::bit_cast<_Float16>(uint16_t(x)));
    case Type::F32:
      return std::bit_cast<float>(uint32_t(x));
    case Type::F64:
      return std::bit_cast<double>(x);
    default:
      return 0;
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

std::set<std::string> handlersOf(std::string_view text) {
  std::set<std::string> keys;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    bool startsInstruction = true;
    std::string key;
    for (std::string word; words >> word; startsInstruction = word == "::") {
      if (startsInstruction && word.back() != ':')
        keys.insert(key = handlerKey(word));
      if (word == "::")
        keys.insert("vopd");
      if (word == "clamp")
        keys.insert(key + "_clamp");
    }
  }
  return keys;
}

} // namespace ds4::sim::test
