// f16 arithmetic: computed in f32 or f64 and rounded once.
#include "runtime/providers/simulator/handlers/Numerics.h"

namespace ds4::sim::DS4_SIM_ISA {

namespace {

inline bool finite(Half x) { return (as<uint16_t>(x) & 0x7c00) != 0x7c00; }

inline int16_t frexpExponent(Half x) {
  int exponent = 0;
  if (finite(x) && float(x) != 0)
    (void)__builtin_frexpf(float(x), &exponent);
  return int16_t(exponent);
}

inline Half frexpMantissa(Half x) {
  int exponent;
  return finite(x) ? Half(__builtin_frexpf(float(x), &exponent)) : x;
}

constexpr float kTwoPi = 6.2831853f;

} // namespace

void registerValuHalf(HandlerTable &t) {
  t.add("v_add_f16", lanes<[](Half a, Half b) -> Half { return Half(float(a) + float(b)); }>());
  t.add("v_sub_f16", lanes<[](Half a, Half b) -> Half { return Half(float(a) - float(b)); }>());
  t.add("v_subrev_f16", lanes<[](Half a, Half b) -> Half { return Half(float(b) - float(a)); }>());
  t.add("v_mul_f16", lanes<[](Half a, Half b) -> Half { return Half(float(a) * float(b)); }>());
  t.add("v_max_f16", lanes<[](Half a, Half b) -> Half { return maxNumber(a, b); }>());
  t.add("v_min_f16", lanes<[](Half a, Half b) -> Half { return minNumber(a, b); }>());
  constexpr auto fma = [](Half a, Half b, Half c) -> Half { return fusedHalf(a, b, c); };
  t.add("v_fma_f16", lanes<fma>());
  t.add("v_fmaak_f16", lanes<fma>());
  t.add("v_fmamk_f16", lanes<fma>());
  t.add("v_fmac_f16", lanes<fma>(kAccumulates));
  t.add("v_max3_f16", lanes<[](Half a, Half b, Half c) -> Half { return maxNumber(maxNumber(a, b), c); }>());
  t.add("v_min3_f16", lanes<[](Half a, Half b, Half c) -> Half { return minNumber(minNumber(a, b), c); }>());
  t.add("v_med3_f16", lanes<[](Half a, Half b, Half c) -> Half { return medianNumber(a, b, c); }>());
  t.add("v_maxmin_f16", lanes<[](Half a, Half b, Half c) -> Half { return minNumber(maxNumber(a, b), c); }>());
  t.add("v_minmax_f16", lanes<[](Half a, Half b, Half c) -> Half { return maxNumber(minNumber(a, b), c); }>());

  t.add("v_exp_f16", lanes<[](Half a) -> Half { return Half(__builtin_exp2f(float(a))); }>());
  t.add("v_log_f16", lanes<[](Half a) -> Half { return Half(__builtin_log2f(float(a))); }>());
  t.add("v_rcp_f16", lanes<[](Half a) -> Half { return Half(1.0f / float(a)); }>());
  t.add("v_rsq_f16", lanes<[](Half a) -> Half { return Half(float(1.0 / __builtin_sqrt(double(a)))); }>());
  t.add("v_sqrt_f16", lanes<[](Half a) -> Half { return Half(__builtin_sqrtf(float(a))); }>());
  t.add("v_sin_f16", lanes<[](Half a) -> Half { return Half(__builtin_sinf(float(a) * kTwoPi)); }>());
  t.add("v_cos_f16", lanes<[](Half a) -> Half { return Half(__builtin_cosf(float(a) * kTwoPi)); }>());

  t.add("v_fract_f16", lanes<[](Half a) -> Half {
          const float part = float(a) - __builtin_floorf(float(a));
          return Half(part > 0x1.ffcp-1f ? 0x1.ffcp-1f : part);
        }>());
  t.add("v_trunc_f16", lanes<[](Half a) -> Half { return Half(__builtin_truncf(float(a))); }>());
  t.add("v_ceil_f16", lanes<[](Half a) -> Half { return Half(__builtin_ceilf(float(a))); }>());
  t.add("v_floor_f16", lanes<[](Half a) -> Half { return Half(__builtin_floorf(float(a))); }>());
  t.add("v_rndne_f16", lanes<[](Half a) -> Half { return Half(__builtin_roundevenf(float(a))); }>());
  t.add("v_ldexp_f16", lanes<[](Half a, int16_t b) -> Half { return Half(__builtin_ldexp(double(a), b)); }>());
  t.add("v_frexp_exp_i16_f16", lanes<[](Half a) -> int16_t { return frexpExponent(a); }>());
  t.add("v_frexp_mant_f16", lanes<[](Half a) -> Half { return frexpMantissa(a); }>());
}

} // namespace ds4::sim::DS4_SIM_ISA
