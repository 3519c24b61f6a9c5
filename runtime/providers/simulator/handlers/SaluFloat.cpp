// Scalar f32 and f16 arithmetic, which gfx1150 and later have.
#include "runtime/providers/simulator/handlers/Numerics.h"
#include "runtime/providers/simulator/handlers/Scalars.h"

namespace ds4::sim::DS4_SIM_ISA {

namespace {

// Compares in f32 and f16 share their conditions; a NaN makes the plain ones false and the negated ones true.
template <class T, auto F> void compareHandler(Wave &wave, const Instruction &in) {
  wave.setScc(F(float(readScalar<T>(wave, in.src[0])), float(readScalar<T>(wave, in.src[1]))));
}
template <class T> constexpr const char *kCompareTypes = std::is_same_v<T, float> ? "FFF" : "HHH";
template <class T, auto F> HandlerInfo compare() { return {compareHandler<T, F>, kCompareTypes<T>, kNoDestination}; }

template <class T> void registerCompares(HandlerTable &t, const char *const (&names)[14]) {
  t.add(names[0], compare<T, [](float a, float b) { return a == b; }>());
  t.add(names[1], compare<T, [](float a, float b) { return a < b || a > b; }>());
  t.add(names[2], compare<T, [](float a, float b) { return a > b; }>());
  t.add(names[3], compare<T, [](float a, float b) { return a >= b; }>());
  t.add(names[4], compare<T, [](float a, float b) { return a < b; }>());
  t.add(names[5], compare<T, [](float a, float b) { return a <= b; }>());
  t.add(names[6], compare<T, [](float a, float b) { return a != b; }>());
  t.add(names[7], compare<T, [](float a, float b) { return !(a < b || a > b); }>());
  t.add(names[8], compare<T, [](float a, float b) { return !(a > b); }>());
  t.add(names[9], compare<T, [](float a, float b) { return !(a >= b); }>());
  t.add(names[10], compare<T, [](float a, float b) { return !(a < b); }>());
  t.add(names[11], compare<T, [](float a, float b) { return !(a <= b); }>());
  t.add(names[12], compare<T, [](float a, float b) { return a == a && b == b; }>());
  t.add(names[13], compare<T, [](float a, float b) { return a != a || b != b; }>());
}

} // namespace

void registerSaluFloat(HandlerTable &t) {
  t.add("s_add_f32", scalar<[](Wave &, float a, float b) -> float { return a + b; }>());
  t.add("s_sub_f32", scalar<[](Wave &, float a, float b) -> float { return a - b; }>());
  t.add("s_mul_f32", scalar<[](Wave &, float a, float b) -> float { return a * b; }>());
  t.add("s_max_f32", scalar<[](Wave &, float a, float b) -> float { return maxNumber(a, b); }>());
  t.add("s_min_f32", scalar<[](Wave &, float a, float b) -> float { return minNumber(a, b); }>());
  constexpr auto fma = [](Wave &, float a, float b, float c) -> float { return __builtin_fmaf(a, b, c); };
  t.add("s_fmac_f32", scalar<fma>(kAccumulates));
  t.add("s_fmaak_f32", scalar<fma>());
  t.add("s_fmamk_f32", scalar<fma>());
  t.add("s_trunc_f32", scalar<[](Wave &, float a) -> float { return __builtin_truncf(a); }>());
  t.add("s_floor_f32", scalar<[](Wave &, float a) -> float { return __builtin_floorf(a); }>());
  t.add("s_ceil_f32", scalar<[](Wave &, float a) -> float { return __builtin_ceilf(a); }>());
  t.add("s_rndne_f32", scalar<[](Wave &, float a) -> float { return __builtin_roundevenf(a); }>());
  t.add("s_cvt_f32_i32", scalar<[](Wave &, int32_t a) -> float { return float(a); }>());
  t.add("s_cvt_f32_u32", scalar<[](Wave &, uint32_t a) -> float { return float(a); }>());
  t.add("s_cvt_i32_f32", scalar<[](Wave &, float a) -> int32_t { return saturate<int32_t>(a); }>());
  t.add("s_cvt_u32_f32", scalar<[](Wave &, float a) -> uint32_t { return saturate<uint32_t>(a); }>());
  t.add("s_cvt_f32_f16", scalar<[](Wave &, Half a) -> float { return float(a); }>());
  t.add("s_cvt_hi_f32_f16", scalar<[](Wave &, uint32_t a) -> float { return float(halfOf(a, true)); }>());
  t.add("s_cvt_pk_rtz_f16_f32",
        scalar<[](Wave &, float a, float b) -> uint32_t { return halfTowardZero(a) | halfTowardZero(b) << 16; }>());
  t.add("s_cvt_f16_f32", scalar<[](Wave &, float a) -> Half { return Half(a); }>());

  t.add("s_add_f16", scalar<[](Wave &, Half a, Half b) -> Half { return Half(float(a) + float(b)); }>());
  t.add("s_sub_f16", scalar<[](Wave &, Half a, Half b) -> Half { return Half(float(a) - float(b)); }>());
  t.add("s_mul_f16", scalar<[](Wave &, Half a, Half b) -> Half { return Half(float(a) * float(b)); }>());
  t.add("s_max_f16", scalar<[](Wave &, Half a, Half b) -> Half { return maxNumber(a, b); }>());
  t.add("s_min_f16", scalar<[](Wave &, Half a, Half b) -> Half { return minNumber(a, b); }>());
  t.add("s_fmac_f16", scalar<[](Wave &, Half a, Half b, Half c) -> Half { return fusedHalf(a, b, c); }>(kAccumulates));
  t.add("s_trunc_f16", scalar<[](Wave &, Half a) -> Half { return Half(__builtin_truncf(float(a))); }>());
  t.add("s_floor_f16", scalar<[](Wave &, Half a) -> Half { return Half(__builtin_floorf(float(a))); }>());
  t.add("s_ceil_f16", scalar<[](Wave &, Half a) -> Half { return Half(__builtin_ceilf(float(a))); }>());
  t.add("s_rndne_f16", scalar<[](Wave &, Half a) -> Half { return Half(__builtin_roundevenf(float(a))); }>());

  registerCompares<float>(t, {"s_cmp_eq_f32", "s_cmp_lg_f32", "s_cmp_gt_f32", "s_cmp_ge_f32", "s_cmp_lt_f32", "s_cmp_le_f32",
                              "s_cmp_neq_f32", "s_cmp_nlg_f32", "s_cmp_ngt_f32", "s_cmp_nge_f32", "s_cmp_nlt_f32", "s_cmp_nle_f32",
                              "s_cmp_o_f32", "s_cmp_u_f32"});
  registerCompares<Half>(t, {"s_cmp_eq_f16", "s_cmp_lg_f16", "s_cmp_gt_f16", "s_cmp_ge_f16", "s_cmp_lt_f16", "s_cmp_le_f16",
                             "s_cmp_neq_f16", "s_cmp_nlg_f16", "s_cmp_ngt_f16", "s_cmp_nge_f16", "s_cmp_nlt_f16", "s_cmp_nle_f16",
                             "s_cmp_o_f16", "s_cmp_u_f16"});
}

} // namespace ds4::sim::DS4_SIM_ISA
