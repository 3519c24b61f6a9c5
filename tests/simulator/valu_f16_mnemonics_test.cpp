// Vector arithmetic on f16. The upper half of a destination keeps its content; .h operands read and write upper halves.
#include <cmath>
#include <limits>

#include "tests/simulator/MnemonicTable.h"

namespace ds4::sim::test {
namespace {

const float kInf = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();
const float kTiny = 0x1p-24f; // the smallest denormal

LaneCase c1(float a, float d) { return {{h(a)}, h(d)}; }
LaneCase c1(float a, Value d) { return {{h(a)}, d}; }
LaneCase c2(float a, float b, float d) { return {{h(a), h(b)}, h(d)}; }
LaneCase c3(float a, float b, float c, float d) { return {{h(a), h(b), h(c)}, h(d)}; }

Rows arithmetic() {
  return {
      lanes("v_add_f16", {c2(1.5f, 2.25f, 3.75f), c2(2048, 1, 2048), c2(2050, 1, 2052), c2(-0.0f, -0.0f, -0.0f),
                          c2(-0.0f, 0.0f, 0.0f), c2(kTiny, kTiny, 2 * kTiny), c2(65504, 65504, kInf), c2(kInf, -kInf, kNan)}),
      lanes("v_sub_f16", {c2(1.5f, 2.25f, -0.75f), c2(0.0f, 0.0f, 0.0f), c2(kTiny, 3 * kTiny, -2 * kTiny)}),
      lanes("v_subrev_f16", {c2(1.5f, 2.25f, 0.75f), c2(0.0f, -0.0f, -0.0f)}),
      lanes("v_mul_f16", {c2(1.5f, -2.0f, -3.0f), c2(0x1p-12f, 0x1p-12f, kTiny), c2(0x1p-13f, 0x1p-12f, 0.0f), c2(256, 256, kInf),
                          c2(0.0f, kInf, kNan)}),
      lanes("v_fma_f16", {c3(2, 3, 4, 10), c3(1 + 0x1p-10f, 1 + 0x1p-10f, -(1 + 0x1p-9f), 0x1p-20f), c3(kInf, 0, 1, kNan)}),
      accumulates("v_fmac_f16", {c3(2, 3, 4, 10), c3(1 + 0x1p-10f, 1 + 0x1p-10f, -(1 + 0x1p-9f), 0x1p-20f)}),
      lanes("v_fmaak_f16 {d}, {0}, {1}, 0x4900", {c2(2, 3, 16), c2(-1, 10, 0)}),
      lanes("v_fmamk_f16 {d}, {0}, 0x4900, {1}", {c2(2, 3, 23), c2(-1, 10, 0)}),
      lanes("v_max_f16", {c2(1, 2, 2), c2(-0.0f, 0.0f, 0.0f), c2(kNan, -1, -1), c2(3, kNan, 3), c2(kNan, kNan, kNan)}),
      lanes("v_min_f16", {c2(1, 2, 1), c2(0.0f, -0.0f, -0.0f), c2(kNan, -1, -1), c2(3, kNan, 3)}),
      lanes("v_max3_f16", {c3(1, 5, 3, 5), c3(kNan, 1, 2, 2)}),
      lanes("v_min3_f16", {c3(1, 5, 3, 1), c3(kNan, 1, 2, 1)}),
      lanes("v_med3_f16", {c3(1, 5, 3, 3), c3(5, 3, 1, 3), c3(kNan, 2, 1, 1)}),
      lanes("v_maxmin_f16", {c3(1, 5, 3, 3), c3(1, 2, 3, 2)}),
      lanes("v_minmax_f16", {c3(1, 5, 3, 3), c3(7, 5, 3, 5)}),
      lanes("v_div_fixup_f16",
            {c3(2, 3, 6, 2), c3(2, -3, 6, -2), c3(1, 0, 0, kNan), c3(1, 0, -5, -kInf), c3(1, kInf, 5, 0), c3(1, 4, kNan, kNan)}),
  };
}

Rows rounding() {
  return {
      lanes("v_trunc_f16", {c1(1.75f, 1), c1(-1.75f, -1), c1(-0.5f, -0.0f), c1(kInf, kInf)}),
      lanes("v_ceil_f16", {c1(1.25f, 2), c1(-1.25f, -1), c1(-0.5f, -0.0f), c1(kTiny, 1)}),
      lanes("v_floor_f16", {c1(1.75f, 1), c1(-1.25f, -2), c1(-kTiny, -1), c1(-0.0f, -0.0f)}),
      lanes("v_rndne_f16", {c1(0.5f, 0), c1(1.5f, 2), c1(2.5f, 2), c1(-1.5f, -2)}),
      lanes("v_fract_f16", {c1(1.75f, 0.75f), c1(-1.25f, 0.75f), c1(4, 0)}),
      lanes("v_ldexp_f16", {{{h(1.5f), b16(3)}, h(12)},
                            {{h(1), b16(0xffff)}, h(0.5f)},
                            {{h(1), b16(16)}, h(kInf)},
                            {{h(1), b16(uint16_t(-24))}, h(kTiny)}}),
      lanes("v_frexp_exp_i16_f16", {c1(1, b16(1)), c1(0.75f, b16(0)), c1(-8, b16(4)), c1(0, b16(0)), c1(kInf, b16(0))}),
      lanes("v_frexp_mant_f16", {c1(1, 0.5f), c1(-10, -0.625f), c1(kInf, kInf), c1(-0.0f, -0.0f)}),
  };
}

Rows transcendental() {
  return {
      lanes("v_exp_f16",
            {c1(0, 1), c1(3, 8), c1(0.5f, near(h(1.4142135f), 1)), c1(-24, kTiny), c1(16, kInf), c1(-kInf, 0), c1(kNan, kNan)}),
      lanes("v_log_f16", {c1(1, 0), c1(8, 3), c1(10, near(h(3.3219281f), 1)), c1(kTiny, -24), c1(0, -kInf), c1(-1, kNan)}),
      lanes("v_rcp_f16", {c1(2, 0.5f), c1(3, near(h(0.33333334f), 1)), c1(-0.0f, -kInf), c1(kInf, 0)}),
      lanes("v_rsq_f16", {c1(4, 0.5f), c1(2, near(h(0.70710677f), 1)), c1(0, kInf), c1(-1, kNan)}),
      lanes("v_sqrt_f16", {c1(4, 2), c1(2, near(h(1.4142135f), 1)), c1(-0.0f, -0.0f), c1(-1, kNan)}),
      lanes("v_sin_f16", {c1(0, 0), c1(0.25f, 1), c1(-0.25f, -1), c1(kInf, kNan)}),
      lanes("v_cos_f16", {c1(0, 1), c1(0.5f, -1), c1(kInf, kNan)}),
  };
}

Rows halves() {
  auto fill = [](State &s) {
    for (unsigned lane = 0; lane < kLanes; ++lane)
      s.v[0][lane] = packHalves(1.5f, 4.0f), s.v[2][lane] = packHalves(0.25f, float(lane));
  };
  return {
      wave("v_add_f16 v8.h, v0.l, v2.h", fill,
           [](State &s) {
             for (unsigned lane = 0; lane < kLanes; ++lane)
               s.v[8][lane] = pack(s.v[8][lane], uint32_t(h(1.5f + float(lane)).bits));
           }),
      wave("v_mul_f16 v8.l, v0.h, v2.l", fill,
           [](State &s) {
             for (unsigned lane = 0; lane < kLanes; ++lane)
               s.v[8][lane] = pack(uint32_t(h(1.0f).bits), s.v[8][lane] >> 16);
           }),
      wave("v_fma_f16 v8.h, -v0.h, |v2.h|, v0.l", fill,
           [](State &s) {
             for (unsigned lane = 0; lane < kLanes; ++lane)
               s.v[8][lane] = pack(s.v[8][lane], uint32_t(h(1.5f - 4.0f * float(lane)).bits));
           }),
      // In place: the destination's other half is a source.
      wave("v_sub_f16 v0.l, v0.h, v0.l", fill,
           [](State &s) {
             for (unsigned lane = 0; lane < kLanes; ++lane)
               s.v[0][lane] = packHalves(2.5f, 4.0f);
           }),
      lanes("v_add_f16_e64", {c2(0.25f, 0.25f, 0.5f), c2(1, 2, 1), c2(-1, -2, 0), c2(kNan, 1, 0)}, "clamp"),
      lanes("v_add_f16 {d}, 1.0, {0}", {c1(0.5f, 1.5f)}),
      lanes("v_mul_f16 {d}, 0x4900, {0}", {c1(0.5f, 5)}), // a literal of 16 bits
      lanes("v_pack_b32_f16", {{{h(1), h(-2)}, packHalves(1, -2)}, {{h(kTiny), h(-0.0f)}, 0x80000001}}),
      wave("v_pack_b32_f16 v8, v0.h, v2.h", fill,
           [](State &s) {
             for (unsigned lane = 0; lane < kLanes; ++lane)
               s.v[8][lane] = packHalves(4.0f, float(lane));
           }),
  };
}

const MnemonicTable table("valu_f16", [] { return join({arithmetic(), rounding(), transcendental(), halves()}); });

} // namespace
} // namespace ds4::sim::test
