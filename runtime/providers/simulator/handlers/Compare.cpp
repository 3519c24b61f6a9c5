// v_cmp and v_cmpx: one bit a lane to a scalar register or to EXEC; v_cndmask: the bits at work. Inactive lanes give 0.
#include "runtime/providers/simulator/handlers/Numerics.h"
#include "runtime/providers/simulator/handlers/Scalars.h"

namespace ds4::sim::DS4_SIM_ISA {
namespace {

template <auto F, bool ToExec, class A, class B> void runCompare(Wave &wave, const Instruction &in, bool (*)(A, B)) {
  const uint32_t *a = source<A>(wave, in, 0, 0), *aHigh = kIsPair<A> ? source<A>(wave, in, 0, 1) : nullptr;
  const uint32_t *b = source<B>(wave, in, 1, 0), *bHigh = kIsPair<B> ? source<B>(wave, in, 1, 1) : nullptr;
  Row holds;
  for (int l = 0; l < kLanes; l++)
    holds[l] = F(laneValue<A>(a, aHigh, l), laneValue<B>(b, bHigh, l));
  const uint32_t mask = nonZeroLanes(holds) & writeMask(wave, in);
  wave.setScalar(ToExec ? uint32_t(kExec) : uint32_t(in.dst.reg), mask);
}

template <auto F, bool ToExec> void compareHandler(Wave &wave, const Instruction &in) { runCompare<F, ToExec>(wave, in, +F); }

template <class A, class B> constexpr const char *compareTypes(bool (*)(A, B)) { return kTypeLetters<uint32_t, A, B>; }

template <auto F> void addCompare(HandlerTable &table, const char *compare, const char *compareExec) {
  table.add(compare, {compareHandler<F, false>, compareTypes(+F), 0});
  table.add(compareExec, {compareHandler<F, true>, compareTypes(+F), kNoDestination});
}

// A predicate of two values of one type, under both names.
#define DS4_COMPARE(name, T, expression)                                                                                           \
  addCompare<[](T a, T b) -> bool { return expression; }>(table, "v_cmp_" name, "v_cmpx_" name)

#define DS4_COMPARE_ORDERED(type, T)                                                                                               \
  DS4_COMPARE("lt_" type, T, a < b);                                                                                               \
  DS4_COMPARE("eq_" type, T, a == b);                                                                                              \
  DS4_COMPARE("le_" type, T, a <= b);                                                                                              \
  DS4_COMPARE("gt_" type, T, a > b);                                                                                               \
  DS4_COMPARE("ge_" type, T, a >= b)

#define DS4_COMPARE_CONSTANT(type, T)                                                                                              \
  DS4_COMPARE("f_" type, T, false);                                                                                                \
  DS4_COMPARE("t_" type, T, true)

#define DS4_COMPARE_INTEGER(type, T)                                                                                               \
  DS4_COMPARE_ORDERED(type, T);                                                                                                    \
  DS4_COMPARE("ne_" type, T, a != b)

// lg is "less or greater"; the n forms are negations, true for unordered operands.
#define DS4_COMPARE_FLOAT(type, T)                                                                                                 \
  DS4_COMPARE_CONSTANT(type, T);                                                                                                   \
  DS4_COMPARE_ORDERED(type, T);                                                                                                    \
  DS4_COMPARE("lg_" type, T, a<b || a> b);                                                                                         \
  DS4_COMPARE("o_" type, T, a == a && b == b);                                                                                     \
  DS4_COMPARE("u_" type, T, a != a || b != b);                                                                                     \
  DS4_COMPARE("nge_" type, T, !(a >= b));                                                                                          \
  DS4_COMPARE("nlg_" type, T, !(a < b || a > b));                                                                                  \
  DS4_COMPARE("ngt_" type, T, !(a > b));                                                                                           \
  DS4_COMPARE("nle_" type, T, !(a <= b));                                                                                          \
  DS4_COMPARE("neq_" type, T, !(a == b));                                                                                          \
  DS4_COMPARE("nlt_" type, T, !(a < b))

template <class T> void selectHandler(Wave &wave, const Instruction &in) {
  const uint32_t *whenClear = source<T>(wave, in, 0), *whenSet = source<T>(wave, in, 1);
  const uint32_t mask = readScalar<uint32_t>(wave, in.src[2]);
  Row result, unused;
  for (int l = 0; l < kLanes; l++)
    result[l] = (mask >> l) & 1 ? whenSet[l] : whenClear[l];
  writeResult<T>(wave, in, result, unused, writeMask(wave, in));
}

} // namespace

void registerCompare(HandlerTable &table) {
  DS4_COMPARE_FLOAT("f16", Half);
  DS4_COMPARE_FLOAT("f32", float);
  DS4_COMPARE_FLOAT("f64", double);
  DS4_COMPARE_INTEGER("i16", int16_t);
  DS4_COMPARE_INTEGER("u16", uint16_t);
  DS4_COMPARE_INTEGER("i32", int32_t);
  DS4_COMPARE_INTEGER("u32", uint32_t);
  DS4_COMPARE_INTEGER("i64", int64_t);
  DS4_COMPARE_INTEGER("u64", uint64_t);
  DS4_COMPARE_CONSTANT("i32", int32_t);
  DS4_COMPARE_CONSTANT("u32", uint32_t);
  DS4_COMPARE_CONSTANT("i64", int64_t);
  DS4_COMPARE_CONSTANT("u64", uint64_t);

  addCompare<[](Half x, uint16_t wanted) -> bool { return classBit(as<uint16_t>(x), 5, 10) & wanted; }>(table, "v_cmp_class_f16",
                                                                                                        "v_cmpx_class_f16");
  addCompare<[](float x, uint32_t wanted) -> bool { return classBit(as<uint32_t>(x), 8, 23) & wanted; }>(table, "v_cmp_class_f32",
                                                                                                         "v_cmpx_class_f32");
  addCompare<[](double x, uint32_t wanted) -> bool { return classBit(as<uint64_t>(x), 11, 52) & wanted; }>(table, "v_cmp_class_f64",
                                                                                                           "v_cmpx_class_f64");

  table.add("v_cndmask_b32", {selectHandler<float>, "UFFU", 0});
  table.add("v_cndmask_b16", {selectHandler<Half>, "HHHU", 0});
}

} // namespace ds4::sim::DS4_SIM_ISA
