// f64 arithmetic and conversions, and shifts of 64 bits.
#include "runtime/providers/simulator/handlers/Numerics.h"

namespace ds4::sim::DS4_SIM_ISA {
namespace {

constexpr uint64_t kExponent = uint64_t(0x7ff) << 52;

bool isFiniteNonZero(double x) { return (as<uint64_t>(x) & kExponent) != kExponent && x != 0; }

// x = mantissa * 2^exponent with |mantissa| in [0.5, 1); zero, infinities and NaN have exponent 0.
int exponentOf(double x) {
  if (!isFiniteNonZero(x))
    return 0;
  const double normal = as<uint64_t>(x) & kExponent ? x : x * 0x1p54;
  const int biased = int((as<uint64_t>(normal) & kExponent) >> 52);
  return biased - 1022 - (normal == x ? 0 : 54);
}

double mantissaOf(double x) {
  if (!isFiniteNonZero(x))
    return x;
  const double normal = as<uint64_t>(x) & kExponent ? x : x * 0x1p54;
  return as<double>((as<uint64_t>(normal) & ~kExponent) | uint64_t(1022) << 52);
}

} // namespace

void registerDouble(HandlerTable &table) {
  table.add("v_add_f64", lanes<[](double a, double b) -> double { return a + b; }>());
  table.add("v_mul_f64", lanes<[](double a, double b) -> double { return a * b; }>());
  table.add("v_fma_f64", lanes<[](double a, double b, double c) -> double { return std::fma(a, b, c); }>());
  table.add("v_max_f64", lanes<[](double a, double b) -> double { return maxNumber(a, b); }>());
  table.add("v_min_f64", lanes<[](double a, double b) -> double { return minNumber(a, b); }>());
  table.add("v_ldexp_f64", lanes<[](double a, int32_t b) -> double { return std::ldexp(a, b); }>());
  table.add("v_frexp_exp_i32_f64", lanes<[](double a) -> int32_t { return exponentOf(a); }>());
  table.add("v_frexp_mant_f64", lanes<[](double a) -> double { return mantissaOf(a); }>());

  table.add("v_trunc_f64", lanes<[](double a) -> double { return std::trunc(a); }>());
  table.add("v_ceil_f64", lanes<[](double a) -> double { return std::ceil(a); }>());
  table.add("v_floor_f64", lanes<[](double a) -> double { return std::floor(a); }>());
  table.add("v_rndne_f64", lanes<[](double a) -> double { return std::nearbyint(a); }>());
  table.add("v_fract_f64", lanes<[](double a) -> double { return a - std::floor(a); }>());
  table.add("v_rcp_f64", lanes<[](double a) -> double { return 1.0 / a; }>());
  table.add("v_rsq_f64", lanes<[](double a) -> double { return 1.0 / std::sqrt(a); }>());
  table.add("v_sqrt_f64", lanes<[](double a) -> double { return std::sqrt(a); }>());

  table.add("v_cvt_f64_f32", lanes<[](float a) -> double { return a; }>());
  table.add("v_cvt_f32_f64", lanes<[](double a) -> float { return float(a); }>());
  table.add("v_cvt_f64_i32", lanes<[](int32_t a) -> double { return a; }>());
  table.add("v_cvt_f64_u32", lanes<[](uint32_t a) -> double { return a; }>());
  table.add("v_cvt_i32_f64", lanes<[](double a) -> int32_t { return saturate<int32_t>(a); }>());
  table.add("v_cvt_u32_f64", lanes<[](double a) -> uint32_t { return saturate<uint32_t>(a); }>());

  table.add("v_lshlrev_b64", lanes<[](uint32_t shift, uint64_t a) -> uint64_t { return a << (shift & 63); }>());
  table.add("v_lshrrev_b64", lanes<[](uint32_t shift, uint64_t a) -> uint64_t { return a >> (shift & 63); }>());
  table.add("v_ashrrev_i64", lanes<[](uint32_t shift, int64_t a) -> int64_t { return a >> (shift & 63); }>());
}

} // namespace ds4::sim::DS4_SIM_ISA
