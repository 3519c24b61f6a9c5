// f32 arithmetic and the transcendental unit.
#include "runtime/providers/simulator/handlers/Numerics.h"

namespace ds4::sim::DS4_SIM_ISA {

namespace {

// v_exp_f32 and v_log_f32 flush denormals in every mode.
inline float flushDenormal(float x) { return as<uint32_t>(x) & 0x7f800000 ? x : as<float>(as<uint32_t>(x) & 0x80000000); }

inline float exp2Flushed(float x) {
  const float y = float(__builtin_exp2(double(flushDenormal(x))));
  return y < 0x1p-126f ? 0.0f : y;
}

constexpr double kTwoPi = 6.283185307179586476925;
constexpr float kLargestBelowOne = 0x1.fffffep-1f;

inline float fract(float x) {
  const float part = x - __builtin_floorf(x);
  return part < kLargestBelowOne ? part : part != part ? part : kLargestBelowOne;
}

inline bool finite(float x) { return (as<uint32_t>(x) & 0x7f800000) != 0x7f800000; }

inline int32_t frexpExponent(float x) {
  int exponent = 0;
  if (finite(x))
    (void)__builtin_frexpf(x, &exponent);
  return x == 0 ? 0 : exponent;
}

inline float frexpMantissa(float x) {
  int exponent;
  return finite(x) ? __builtin_frexpf(x, &exponent) : x;
}

// Multiplication where 0 times anything is 0.
inline float multiplyLegacy(float a, float b) { return a == 0 || b == 0 ? 0.0f : a * b; }

} // namespace

void registerValuFloat(HandlerTable &t) {
  t.add("v_add_f32", lanes<[](float a, float b) -> float { return a + b; }>());
  t.add("v_sub_f32", lanes<[](float a, float b) -> float { return a - b; }>());
  t.add("v_subrev_f32", lanes<[](float a, float b) -> float { return b - a; }>());
  t.add("v_mul_f32", lanes<[](float a, float b) -> float { return a * b; }>());
  t.add("v_mul_dx9_zero_f32", lanes<[](float a, float b) -> float { return multiplyLegacy(a, b); }>());
  t.add("v_max_f32", lanes<[](float a, float b) -> float { return maxNumber(a, b); }>());
  t.add("v_min_f32", lanes<[](float a, float b) -> float { return minNumber(a, b); }>());
  constexpr auto fma = [](float a, float b, float c) -> float { return __builtin_fmaf(a, b, c); };
  t.add("v_fma_f32", lanes<fma>());
  t.add("v_fmaak_f32", lanes<fma>());
  t.add("v_fmamk_f32", lanes<fma>());
  t.add("v_fmac_f32", lanes<fma>(kAccumulates));
  constexpr auto fmaLegacy = [](float a, float b, float c) -> float { return a == 0 || b == 0 ? c : __builtin_fmaf(a, b, c); };
  t.add("v_fma_dx9_zero_f32", lanes<fmaLegacy>());
  t.add("v_fmac_dx9_zero_f32", lanes<fmaLegacy>(kAccumulates));
  t.add("v_max3_f32", lanes<[](float a, float b, float c) -> float { return maxNumber(maxNumber(a, b), c); }>());
  t.add("v_min3_f32", lanes<[](float a, float b, float c) -> float { return minNumber(minNumber(a, b), c); }>());
  t.add("v_med3_f32", lanes<[](float a, float b, float c) -> float { return medianNumber(a, b, c); }>());
  t.add("v_maxmin_f32", lanes<[](float a, float b, float c) -> float { return minNumber(maxNumber(a, b), c); }>());
  t.add("v_minmax_f32", lanes<[](float a, float b, float c) -> float { return maxNumber(minNumber(a, b), c); }>());

  t.add("v_exp_f32", lanes<[](float a) -> float { return exp2Flushed(a); }>());
  t.add("v_log_f32", lanes<[](float a) -> float { return float(__builtin_log2(double(flushDenormal(a)))); }>());
  constexpr auto rcp = [](float a) -> float { return float(1.0 / double(a)); };
  t.add("v_rcp_f32", lanes<rcp>());
  t.add("v_rcp_iflag_f32", lanes<rcp>());
  t.add("v_rsq_f32", lanes<[](float a) -> float { return float(1.0 / __builtin_sqrt(double(a))); }>());
  t.add("v_sqrt_f32", lanes<[](float a) -> float { return __builtin_sqrtf(a); }>());
  t.add("v_sin_f32", lanes<[](float a) -> float { return float(__builtin_sin(double(a) * kTwoPi)); }>());
  t.add("v_cos_f32", lanes<[](float a) -> float { return float(__builtin_cos(double(a) * kTwoPi)); }>());

  t.add("v_fract_f32", lanes<[](float a) -> float { return fract(a); }>());
  t.add("v_trunc_f32", lanes<[](float a) -> float { return __builtin_truncf(a); }>());
  t.add("v_ceil_f32", lanes<[](float a) -> float { return __builtin_ceilf(a); }>());
  t.add("v_floor_f32", lanes<[](float a) -> float { return __builtin_floorf(a); }>());
  t.add("v_rndne_f32", lanes<[](float a) -> float { return __builtin_roundevenf(a); }>());
  t.add("v_ldexp_f32", lanes<[](float a, int32_t b) -> float { return __builtin_ldexpf(a, b); }>());
  t.add("v_frexp_exp_i32_f32", lanes<[](float a) -> int32_t { return frexpExponent(a); }>());
  t.add("v_frexp_mant_f32", lanes<[](float a) -> float { return frexpMantissa(a); }>());
}

} // namespace ds4::sim::DS4_SIM_ISA
