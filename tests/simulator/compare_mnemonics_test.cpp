// v_cmp and v_cmpx: each predicate is the set of relations it holds for.
#include <limits>
#include <string>

#include "tests/simulator/MnemonicTable.h"

namespace ds4::sim::test {
namespace {

enum Relation : unsigned { Less = 1, Equal = 2, Greater = 4, Unordered = 8 };

struct Predicate {
  const char *name;
  unsigned holdsFor;
};

struct Pair {
  Value a, b;
  Relation relation;
};

const Predicate kFloatPredicates[] = {{"f", 0},
                                      {"lt", Less},
                                      {"eq", Equal},
                                      {"le", Less | Equal},
                                      {"gt", Greater},
                                      {"lg", Less | Greater},
                                      {"ge", Greater | Equal},
                                      {"o", Less | Equal | Greater},
                                      {"u", Unordered},
                                      {"nge", Less | Unordered},
                                      {"nlg", Equal | Unordered},
                                      {"ngt", Less | Equal | Unordered},
                                      {"nle", Greater | Unordered},
                                      {"neq", Less | Greater | Unordered},
                                      {"nlt", Equal | Greater | Unordered},
                                      {"t", Less | Equal | Greater | Unordered}};
const Predicate kIntegerPredicates[] = {{"lt", Less},    {"eq", Equal},          {"le", Less | Equal},
                                        {"gt", Greater}, {"ne", Less | Greater}, {"ge", Greater | Equal}};
const Predicate kConstantPredicates[] = {{"f", 0}, {"t", Less | Equal | Greater}};

template <size_t N> Rows tables(const Predicate (&predicates)[N], const std::string &type, const std::vector<Pair> &pairs) {
  Rows rows;
  for (const Predicate &predicate : predicates) {
    std::vector<CompareCase> cases;
    for (const Pair &pair : pairs)
      cases.push_back({{pair.a, pair.b}, (predicate.holdsFor & pair.relation) != 0});
    for (Row &row : compares(std::string("v_cmp_") + predicate.name + "_" + type, cases))
      rows.push_back(std::move(row));
  }
  return rows;
}

template <typename Make> std::vector<Pair> floatPairs(Make make, double tiny) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  return {{make(1), make(2), Less},          {make(-0.0), make(0.0), Equal},  {make(tiny), make(0), Greater},
          {make(-inf), make(inf), Less},     {make(nan), make(1), Unordered}, {make(1), make(nan), Unordered},
          {make(nan), make(nan), Unordered}, {make(-1), make(-2), Greater},   {make(inf), make(inf), Equal}};
}

// `ones` is all ones, `top` the sign bit: the order of the pairs depends on whether they are signed.
template <typename Make> std::vector<Pair> integerPairs(Make make, uint64_t ones, uint64_t top, bool isSigned) {
  return {{make(1), make(2), Less},
          {make(7), make(7), Equal},
          {make(9), make(3), Greater},
          {make(ones), make(1), isSigned ? Less : Greater},
          {make(top), make(top - 1), isSigned ? Less : Greater},
          {make(0), make(top), isSigned ? Greater : Less},
          {make(ones), make(ones), Equal}};
}

Rows floats() {
  return join({tables(kFloatPredicates, "f16", floatPairs([](double x) { return h(float(x)); }, 0x1p-24)),
               tables(kFloatPredicates, "f32", floatPairs([](double x) { return Value(float(x)); }, 0x1p-149)),
               tables(kFloatPredicates, "f64", floatPairs([](double x) { return Value(x); }, 0x1p-1074))});
}

Rows integers() {
  Rows rows;
  auto add = [&](const std::string &type, auto make, uint64_t ones, uint64_t top, bool isSigned, bool constants) {
    const std::vector<Pair> pairs = integerPairs(make, ones, top, isSigned);
    rows = join({rows, tables(kIntegerPredicates, type, pairs)});
    if (constants)
      rows = join({rows, tables(kConstantPredicates, type, pairs)});
  };
  for (bool isSigned : {false, true}) {
    const std::string letter = isSigned ? "i" : "u";
    add(letter + "16", [](uint64_t x) { return b16(uint32_t(x)); }, 0xffff, 0x8000, isSigned, false);
    add(letter + "32", [](uint64_t x) { return Value(uint32_t(x)); }, 0xffffffff, 0x80000000, isSigned, true);
    add(letter + "64", [](uint64_t x) { return Value(x); }, ~0ull, 1ull << 63, isSigned, true);
  }
  return rows;
}

// Class bits from 0: signalling NaN, quiet NaN, -inf, -normal, -denormal, -0, +0, +denormal, +normal, +inf.
template <typename Bits> Rows classes(const std::string &type, std::initializer_list<Bits> values, auto wanted) {
  std::vector<CompareCase> cases;
  unsigned bit = 0;
  for (Bits value : values) {
    cases.push_back({{value, wanted(1u << bit)}, true});
    cases.push_back({{value, wanted(0x3ffu & ~(1u << bit))}, false});
    cases.push_back({{value, wanted(0x3ffu)}, true});
    ++bit;
  }
  return compares("v_cmp_class_" + type, cases);
}

Rows classTests() {
  auto word = [](uint32_t x) { return Value(x); };
  return join(
      {classes<uint16_t>("f16", {0x7d00, 0x7e00, 0xfc00, 0xbc00, 0x8001, 0x8000, 0, 0x03ff, 0x0400, 0x7c00},
                         [](uint32_t x) { return b16(x); }),
       classes<uint32_t>(
           "f32", {0x7fa00000, 0xffc00000, 0xff800000, 0xbf800000, 0x80000001, 0x80000000, 0, 0x007fffff, 0x00800000, 0x7f800000},
           word),
       classes<uint64_t>("f64",
                         {0x7ff4000000000000, 0x7ff8000000000000, 0xfff0000000000000, 0xbff0000000000000, 0x8000000000000001,
                          0x8000000000000000, 0, 1, 0x0010000000000000, 0x7ff0000000000000},
                         word)});
}

Rows modifiers() {
  auto operands = [](State &s) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      s.v[0][lane] = std::bit_cast<uint32_t>(float(lane));
      s.v[2][lane] = std::bit_cast<uint32_t>(-16.0f);
    }
  };
  return {
      wave("v_cmp_lt_f32_e64 s8, v0, |v2|", operands, [](State &s) { s.s[8] = 0x0000ffff; }),
      wave("v_cmp_gt_f32_e64 vcc_lo, -v0, v2", operands, [](State &s) { s.vcc = 0x0000ffff; }),
      wave("v_cmp_le_f32 vcc_lo, 4.0, v0", operands, [](State &s) { s.vcc = 0xfffffff0; }),
      wave(
          "v_cmp_eq_f32 vcc_lo, s4, v0",
          [operands](State &s) {
            operands(s);
            s.s[4] = std::bit_cast<uint32_t>(5.0f);
          },
          [](State &s) { s.vcc = 1u << 5; }),
      wave(
          "v_cmpx_lt_f32_e64 v0, |v2|",
          [operands](State &s) {
            operands(s);
            s.exec = 0xf0f0f0f0;
          },
          [](State &s) { s.exec = 0x0000f0f0; }),
      wave(
          "v_cmp_lt_f16 vcc_lo, v0.h, v2.l",
          [](State &s) {
            for (unsigned lane = 0; lane < kLanes; ++lane)
              s.v[0][lane] = packHalves(100, float(lane)), s.v[2][lane] = packHalves(8, -8);
          },
          [](State &s) { s.vcc = 0xff; }),
  };
}

const MnemonicTable floatTable("compare_float", floats);
const MnemonicTable integerTable("compare_integer", integers);
const MnemonicTable classTable("compare_class", [] { return join({classTests(), modifiers()}); });

} // namespace
} // namespace ds4::sim::test
