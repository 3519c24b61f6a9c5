// Atomic operations in global memory, through flat addresses and in LDS, with and without the old value returned.
#include <algorithm>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "tests/simulator/MnemonicTable.h"

namespace ds4::sim::test {
namespace {

constexpr uint32_t kSomeLanes = 0xa5f00f3c;

enum class Space { Global, Flat, Lds };

// New memory content from the old one, the data operand and, where there is one, the second data operand.
template <typename T> using Update = std::function<T(T old, T data, T second)>;

template <typename T> T data(const State &s, unsigned reg, unsigned lane) {
  if constexpr (sizeof(T) == 8)
    return std::bit_cast<T>(s.v64(reg, lane));
  else
    return std::bit_cast<T>(s.v[reg][lane]);
}

// Values that meet every branch: equal to the memory's, above, below, zero. Lane l owns bytes 8l.. of the memory.
template <typename T> void fill(State &s, Space space) {
  s.setS64(2, memoryAddress());
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (space == Space::Flat)
      s.setV64(0, lane, memoryAddress() + 8 * lane);
    else
      s.v[0][lane] = 8 * lane;
    const T old = lane % 8 == 7 ? T(0) : T(int(lane % 5) * 3 - 4), operand = T(int(lane % 7) * 2 - 4);
    uint8_t *place = (space == Space::Lds ? s.lds : s.memory).data() + 8 * lane;
    std::memcpy(place, &old, sizeof(T));
    std::memcpy(&s.v[16][lane], &operand, 4);
    if constexpr (sizeof(T) == 8)
      s.setV64(16, lane, std::bit_cast<uint64_t>(operand));
    // Half of the comparands and second operands equal the memory. LDS has them in v20, else they follow the data.
    const T second = lane % 2 ? old : T(lane);
    const unsigned reg = space == Space::Lds ? 20 : 16 + sizeof(T) / 4;
    if constexpr (sizeof(T) == 8)
      s.setV64(reg, lane, std::bit_cast<uint64_t>(second));
    else
      s.v[reg][lane] = std::bit_cast<uint32_t>(second);
  }
}

template <typename T> void apply(State &s, Space space, bool returns, const Update<T> &update) {
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (!s.active(lane))
      continue;
    uint8_t *place = (space == Space::Lds ? s.lds : s.memory).data() + 8 * lane;
    T old;
    std::memcpy(&old, place, sizeof(T));
    const T now = update(old, data<T>(s, 16, lane), data<T>(s, space == Space::Lds ? 20 : 16 + sizeof(T) / 4, lane));
    std::memcpy(place, &now, sizeof(T));
    if (!returns)
      continue;
    s.v[kResult][lane] = 0;
    if constexpr (sizeof(T) == 8)
      s.setV64(kResult, lane, std::bit_cast<uint64_t>(old));
    else
      s.v[kResult][lane] = std::bit_cast<uint32_t>(old);
  }
}

template <typename T> std::string range(unsigned first, unsigned count = 1) {
  const unsigned words = count * sizeof(T) / 4;
  return words == 1 ? fmt::format("v{}", first) : fmt::format("v[{}:{}]", first, first + words - 1);
}

// `operands` is 2 where a comparand or a second value belongs to the operation.
template <typename T>
Rows operation(Space space, const std::string &name, unsigned operands, Update<T> update, bool plainForm = true) {
  Rows rows;
  for (bool returns : {false, true}) {
    if (!returns && !plainForm)
      continue;
    std::string text;
    const std::string result = returns ? range<T>(kResult) + ", " : "";
    if (space == Space::Lds) {
      const std::string suffix = name.substr(name.rfind('_')), stem = name.substr(0, name.rfind('_'));
      text = fmt::format("ds_{}{}{} {}v0, {}", stem, returns ? "_rtn" : "", suffix, result, range<T>(16)) +
             (operands == 2 ? ", " + range<T>(20) : "");
    } else if (space == Space::Flat) {
      text = fmt::format("flat_atomic_{} {}v[0:1], {}{}", name, result, range<T>(16, operands), returns ? " glc" : "");
    } else {
      text = fmt::format("global_atomic_{} {}v0, {}, s[2:3]{}", name, result, range<T>(16, operands), returns ? " glc" : "");
    }
    Case all{[space](State &s) { fill<T>(s, space); }, [=](State &s) { apply<T>(s, space, returns, update); }, {}, {}}, some = all;
    some.input = [space](State &s) {
      fill<T>(s, space);
      s.exec = kSomeLanes;
    };
    rows.push_back({text, {all, some}});
  }
  return rows;
}

// An operation under the same name in all spaces, or under LDS's own.
template <typename T>
Rows everywhere(const std::string &name, unsigned operands, Update<T> update, const std::string &ldsName = {}) {
  return join({operation<T>(Space::Global, name, operands, update), operation<T>(Space::Flat, name, operands, update),
               operation<T>(Space::Lds, ldsName.empty() ? name : ldsName, operands, update)});
}

template <typename U, typename I> Rows integers(const std::string &bits) {
  const std::string u = "_u" + bits, i = "_i" + bits, b = "_b" + bits;
  auto masked = operation<U>(Space::Lds, "mskor" + b, 2, [](U old, U mask, U value) { return (old & ~mask) | value; });
  return join({
      everywhere<U>("add" + u, 1, [](U old, U x, U) { return old + x; }),
      everywhere<U>("sub" + u, 1, [](U old, U x, U) { return old - x; }),
      everywhere<U>("and" + b, 1, [](U old, U x, U) { return old & x; }),
      everywhere<U>("or" + b, 1, [](U old, U x, U) { return old | x; }),
      everywhere<U>("xor" + b, 1, [](U old, U x, U) { return old ^ x; }),
      everywhere<U>("min" + u, 1, [](U old, U x, U) { return std::min(old, x); }),
      everywhere<U>("max" + u, 1, [](U old, U x, U) { return std::max(old, x); }),
      everywhere<I>("min" + i, 1, [](I old, I x, I) { return std::min(old, x); }),
      everywhere<I>("max" + i, 1, [](I old, I x, I) { return std::max(old, x); }),
      everywhere<U>("inc" + u, 1, [](U old, U x, U) { return old >= x ? 0 : old + 1; }),
      everywhere<U>("dec" + u, 1, [](U old, U x, U) { return old == 0 || old > x ? x : old - 1; }),
      everywhere<U>(
          "cmpswap" + b, 2, [](U old, U x, U comparand) { return old == comparand ? x : old; }, "cmpstore" + b),
      operation<U>(Space::Global, "swap" + b, 1, [](U, U x, U) { return x; }),
      operation<U>(Space::Flat, "swap" + b, 1, [](U, U x, U) { return x; }),
      operation<U>(
          Space::Lds, "storexchg" + b, 1, [](U, U x, U) { return x; }, /*plainForm=*/false),
      operation<U>(Space::Lds, "rsub" + u, 1, [](U old, U x, U) { return x - old; }),
      masked,
  });
}

Rows floats() {
  using F = float;
  using D = double;
  return join({
      everywhere<F>("add_f32", 1, [](F old, F x, F) { return old + x; }),
      everywhere<F>("min_f32", 1, [](F old, F x, F) { return std::min(old, x); }),
      everywhere<F>("max_f32", 1, [](F old, F x, F) { return std::max(old, x); }),
      everywhere<F>(
          "cmpswap_f32", 2, [](F old, F x, F comparand) { return old == comparand ? x : old; }, "cmpstore_f32"),
      operation<D>(Space::Lds, "min_f64", 1, [](D old, D x, D) { return std::min(old, x); }),
      operation<D>(Space::Lds, "max_f64", 1, [](D old, D x, D) { return std::max(old, x); }),
      operation<uint32_t>(
          Space::Global, "csub_u32", 1, [](uint32_t old, uint32_t x, uint32_t) { return old < x ? 0 : old - x; }, false),
  });
}

// All lanes on one place: every contribution counts.
Rows shared() {
  auto input = [](State &s) {
    s.setS64(2, memoryAddress());
    for (unsigned lane = 0; lane < kLanes; ++lane)
      s.v[0][lane] = 16, s.v[16][lane] = 1u << lane;
    std::memset(s.memory.data() + 16, 0, 4);
    std::memset(s.lds.data() + 16, 0, 4);
    s.exec = kSomeLanes;
  };
  auto ones = [](std::array<uint8_t, kMemoryBytes> State::*memory) {
    return [memory](State &s) { std::memcpy((s.*memory).data() + 16, &s.exec, 4); };
  };
  return {wave("global_atomic_add_u32 v0, v16, s[2:3]", input, ones(&State::memory)),
          wave("ds_add_u32 v0, v16", input, ones(&State::lds)),
          wave("global_atomic_or_b32 v0, v16, s[2:3]", input, ones(&State::memory))};
}

const MnemonicTable table32("atomics_32", [] { return join({integers<uint32_t, int32_t>("32"), floats(), shared()}); });
const MnemonicTable table64("atomics_64", [] { return integers<uint64_t, int64_t>("64"); });

} // namespace
} // namespace ds4::sim::test
