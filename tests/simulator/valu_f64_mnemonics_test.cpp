// f64 arithmetic, conversions and division steps.
#include <cmath>
#include <limits>

#include "tests/simulator/MnemonicTable.h"

namespace ds4::sim::test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kTiny = 0x1p-1074;
constexpr uint32_t kMin = 0x80000000, kMax = 0x7fffffff, kOnes = ~0u;

Rows arithmetic() {
  return {
      lanes("v_add_f64",
            {{{1.5, 2.25}, 3.75}, {{0x1p53, 1.0}, 0x1p53}, {{-0.0, 0.0}, 0.0}, {{kTiny, kTiny}, 2 * kTiny}, {{kInf, -kInf}, kNan}}),
      lanes("v_mul_f64", {{{1.5, -2.0}, -3.0}, {{0x1p-1000, 0x1p-74}, kTiny}, {{0x1p1000, 0x1p24}, kInf}, {{0.0, kInf}, kNan}}),
      lanes("v_fma_f64", {{{2.0, 3.0, 4.0}, 10.0}, {{1 + 0x1p-52, 1 + 0x1p-52, -(1 + 0x1p-51)}, 0x1p-104}}),
      lanes("v_max_f64", {{{1.0, 2.0}, 2.0}, {{-0.0, 0.0}, 0.0}, {{kNan, -1.0}, -1.0}, {{3.0, kNan}, 3.0}}),
      lanes("v_min_f64", {{{1.0, 2.0}, 1.0}, {{0.0, -0.0}, -0.0}, {{kNan, -1.0}, -1.0}, {{3.0, kNan}, 3.0}}),
      lanes("v_ldexp_f64", {{{1.5, 3}, 12.0}, {{1.0, -1074}, kTiny}, {{1.0, 1024}, kInf}, {{kNan, 1}, kNan}}),
      lanes("v_frexp_exp_i32_f64", {{{1.0}, 1}, {{-8.0}, 4}, {{kTiny}, -1073}, {{0.0}, 0}, {{kInf}, 0}}),
      lanes("v_frexp_mant_f64", {{{1.0}, 0.5}, {{-10.0}, -0.625}, {{kTiny}, 0.5}, {{-0.0}, -0.0}, {{kInf}, kInf}}),
      lanes("v_trunc_f64", {{{1.75}, 1.0}, {{-1.75}, -1.0}, {{-0.5}, -0.0}}),
      lanes("v_ceil_f64", {{{1.25}, 2.0}, {{-1.25}, -1.0}, {{kTiny}, 1.0}}),
      lanes("v_floor_f64", {{{1.75}, 1.0}, {{-1.25}, -2.0}}),
      lanes("v_rndne_f64", {{{0.5}, 0.0}, {{1.5}, 2.0}, {{2.5}, 2.0}}),
      lanes("v_fract_f64", {{{1.75}, 0.75}, {{-1.25}, 0.75}}),
      lanes("v_rcp_f64", {{{2.0}, 0.5}, {{-4.0}, -0.25}, {{0.0}, kInf}, {{-kInf}, -0.0}}),
      lanes("v_rsq_f64", {{{4.0}, 0.5}, {{0.0}, kInf}, {{-1.0}, kNan}}),
      lanes("v_sqrt_f64", {{{4.0}, 2.0}, {{-0.0}, -0.0}, {{-1.0}, kNan}}),
      lanes("v_add_f64 {d}, -{0}, |{1}|", {{{1.0, -2.0}, 1.0}, {{-0.0, -0.0}, 0.0}}),
      lanes("v_mul_f64", {{{0.5, 0.5}, 0.25}, {{3.0, 2.0}, 1.0}, {{-3.0, 2.0}, 0.0}}, "clamp"),
      lanes("v_add_f64 {d}, {0}, 0.5", {{{1.0}, 1.5}}),
      lanes("v_mul_f64 {d}, {0}, -4.0", {{{1.5}, -6.0}}),
      lanes("v_add_f64 {d}, {0}, 0x40100000", {{{1.0}, 5.0}}), // a literal is the high word
  };
}

Rows conversions() {
  return {
      lanes("v_cvt_f64_f32", {{{1.5f}, 1.5}, {{0x1p-149f}, 0x1p-149}, {{-0.0f}, -0.0}}),
      lanes("v_cvt_f32_f64", {{{1.5}, 1.5f},
                              {{1 + 0x1p-24}, 1.0f},
                              {{1 + 0x1.8p-23}, 1 + 0x1p-22f},
                              {{1e300}, std::numeric_limits<float>::infinity()},
                              {{0x1p-149}, 0x1p-149f}}),
      lanes("v_cvt_f64_i32", {{{-7}, -7.0}, {{kMin}, -0x1p31}}),
      lanes("v_cvt_f64_u32", {{{kOnes}, 4294967295.0}, {{7}, 7.0}}),
      lanes("v_cvt_i32_f64", {{{-1.9}, -1}, {{1e10}, kMax}, {{-1e10}, kMin}, {{kNan}, 0}}),
      lanes("v_cvt_u32_f64", {{{1.9}, 1}, {{-1.0}, 0}, {{1e10}, kOnes}, {{kNan}, 0}}),
  };
}

Rows division() {
  auto operands = [](double denominator, double numerator) {
    return [=](State &s) {
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        s.setV64(2, lane, std::bit_cast<uint64_t>(denominator));
        s.setV64(4, lane, std::bit_cast<uint64_t>(numerator));
      }
    };
  };
  auto result = [](double value, uint32_t vcc) {
    return [=](State &s) {
      for (unsigned lane = 0; lane < kLanes; ++lane)
        s.setV64(8, lane, std::bit_cast<uint64_t>(value));
      s.vcc = vcc;
    };
  };
  return {
      wave("v_div_scale_f64 v[8:9], vcc_lo, v[2:3], v[2:3], v[4:5]", operands(3, 5), result(3, 0)),
      wave("v_div_scale_f64 v[8:9], vcc_lo, v[4:5], v[2:3], v[4:5]", operands(3, 5), result(5, 0)),
      wave("v_div_scale_f64 v[8:9], vcc_lo, v[2:3], v[2:3], v[4:5]", operands(0x1p-400, 0x1p400), result(0x1p-272, ~0u)),
      wave("v_div_scale_f64 v[8:9], vcc_lo, v[4:5], v[2:3], v[4:5]", operands(0x1p-400, 0x1p400), result(0x1p400, ~0u)),
      wave(
          "v_div_fmas_f64 v[8:9], v[2:3], v[2:3], v[4:5]",
          [operands](State &s) {
            operands(2, 5)(s);
            s.vcc = 0x0f0f0f0f;
          },
          [](State &s) {
            for (unsigned lane = 0; lane < kLanes; ++lane)
              s.setV64(8, lane, std::bit_cast<uint64_t>(s.vcc >> lane & 1 ? std::ldexp(9.0, 128) : 9.0));
          }),
      lanes("v_div_fixup_f64", {{{2.0, 3.0, 6.0}, 2.0},
                                {{2.0, -3.0, 6.0}, -2.0},
                                {{1.0, 0.0, 0.0}, kNan},
                                {{1.0, 0.0, -5.0}, -kInf},
                                {{1.0, kInf, 5.0}, 0.0},
                                {{1.0, 4.0, kNan}, kNan}}),
  };
}

const MnemonicTable table("valu_f64", [] { return join({arithmetic(), conversions(), division()}); });

} // namespace
} // namespace ds4::sim::test
