// Vector arithmetic on f32: IEEE single precision, denormals kept, round to nearest even.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/simulator/MnemonicTable.h"

namespace ds4::sim::test {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kTiny = 0x1p-149f, kNormal = 0x1p-126f, kMax = 0x1.fffffep127f;

Rows arithmetic() {
  return {
      lanes("v_add_f32", {{{1.5f, 2.25f}, 3.75f},
                          {{0x1p24f, 1.0f}, 0x1p24f}, // half an ulp goes to even
                          {{0x1.000002p24f, 1.0f}, 0x1.000004p24f},
                          {{-0.0f, -0.0f}, -0.0f},
                          {{-0.0f, 0.0f}, 0.0f},
                          {{1.0f, -1.0f}, 0.0f},
                          {{kTiny, kTiny}, 2 * kTiny},
                          {{kNormal, -kTiny}, 0x1.fffffcp-127f},
                          {{kMax, kMax}, kInf},
                          {{kInf, -kInf}, kNan},
                          {{kNan, 1.0f}, kNan}}),
      lanes("v_sub_f32", {{{1.5f, 2.25f}, -0.75f},
                          {{0.0f, 0.0f}, 0.0f},
                          {{-0.0f, 0.0f}, -0.0f},
                          {{kInf, kInf}, kNan},
                          {{kTiny, 3 * kTiny}, -2 * kTiny}}),
      lanes("v_subrev_f32", {{{1.5f, 2.25f}, 0.75f}, {{0.0f, -0.0f}, -0.0f}}),
      lanes("v_mul_f32", {{{1.5f, -2.0f}, -3.0f},
                          {{-0.0f, 5.0f}, -0.0f},
                          {{0x1p-100f, 0x1p-49f}, kTiny},
                          {{0x1p-100f, 0x1p-50f}, 0.0f}, // a tie at half the smallest denormal
                          {{0x1p100f, 0x1p28f}, kInf},
                          {{0.0f, kInf}, kNan},
                          {{1.1f, 1.1f}, 0x1.35c29p0f}}),
      lanes("v_mul_dx9_zero_f32", {{{0.0f, kInf}, 0.0f}, {{kNan, 0.0f}, 0.0f}, {{3.0f, -2.0f}, -6.0f}}),
      lanes("v_fma_f32", {{{2.0f, 3.0f, 4.0f}, 10.0f},
                          {{0x1.000002p0f, 0x1.000002p0f, -0x1.000004p0f}, 0x1p-46f}, // the product is not rounded
                          {{-0.0f, 1.0f, 0.0f}, 0.0f},
                          {{kInf, 0.0f, 1.0f}, kNan},
                          {{kMax, 2.0f, -kMax}, kMax}}),
      lanes("v_fma_dx9_zero_f32", {{{0.0f, kInf, 4.0f}, 4.0f}, {{2.0f, 3.0f, 1.0f}, 7.0f}}),
      accumulates(
          "v_fmac_f32",
          {{{2.0f, 3.0f, 4.0f}, 10.0f}, {{0x1.000002p0f, 0x1.000002p0f, -0x1.000004p0f}, 0x1p-46f}, {{kInf, 0.0f, 1.0f}, kNan}}),
      accumulates("v_fmac_dx9_zero_f32", {{{kInf, 0.0f, 4.0f}, 4.0f}, {{2.0f, 3.0f, 1.0f}, 7.0f}}),
      lanes("v_fmaak_f32 {d}, {0}, {1}, 0x41200000", {{{2.0f, 3.0f}, 16.0f}, {{-1.0f, 10.0f}, 0.0f}}),
      lanes("v_fmamk_f32 {d}, {0}, 0x41200000, {1}", {{{2.0f, 3.0f}, 23.0f}, {{-1.0f, 10.0f}, 0.0f}}),
  };
}

Rows extrema() {
  return {
      lanes("v_max_f32", {{{1.0f, 2.0f}, 2.0f},
                          {{-0.0f, 0.0f}, 0.0f},
                          {{0.0f, -0.0f}, 0.0f},
                          {{kNan, -1.0f}, -1.0f},
                          {{3.0f, kNan}, 3.0f},
                          {{kNan, kNan}, kNan},
                          {{-kInf, kTiny}, kTiny}}),
      lanes("v_min_f32", {{{1.0f, 2.0f}, 1.0f},
                          {{-0.0f, 0.0f}, -0.0f},
                          {{0.0f, -0.0f}, -0.0f},
                          {{kNan, -1.0f}, -1.0f},
                          {{3.0f, kNan}, 3.0f},
                          {{kNan, kNan}, kNan},
                          {{kInf, -kTiny}, -kTiny}}),
      lanes("v_max3_f32", {{{1.0f, 5.0f, 3.0f}, 5.0f}, {{kNan, 1.0f, 2.0f}, 2.0f}, {{-1.0f, -2.0f, kNan}, -1.0f}}),
      lanes("v_min3_f32", {{{1.0f, 5.0f, 3.0f}, 1.0f}, {{kNan, 1.0f, 2.0f}, 1.0f}, {{-1.0f, -2.0f, kNan}, -2.0f}}),
      lanes("v_med3_f32", {{{1.0f, 5.0f, 3.0f}, 3.0f},
                           {{5.0f, 1.0f, 3.0f}, 3.0f},
                           {{3.0f, 3.0f, 1.0f}, 3.0f},
                           {{kNan, 2.0f, 1.0f}, 1.0f},
                           {{-kInf, kInf, 0.0f}, 0.0f}}),
      lanes("v_maxmin_f32", {{{1.0f, 5.0f, 3.0f}, 3.0f}, {{1.0f, 2.0f, 3.0f}, 2.0f}}),
      lanes("v_minmax_f32", {{{1.0f, 5.0f, 3.0f}, 3.0f}, {{7.0f, 5.0f, 3.0f}, 5.0f}}),
  };
}

Rows rounding() {
  return {
      lanes("v_trunc_f32",
            {{{1.75f}, 1.0f}, {{-1.75f}, -1.0f}, {{-0.5f}, -0.0f}, {{0x1p30f}, 0x1p30f}, {{kInf}, kInf}, {{kNan}, kNan}}),
      lanes("v_ceil_f32", {{{1.25f}, 2.0f}, {{-1.25f}, -1.0f}, {{-0.5f}, -0.0f}, {{kTiny}, 1.0f}, {{kNan}, kNan}}),
      lanes("v_floor_f32", {{{1.75f}, 1.0f}, {{-1.25f}, -2.0f}, {{-kTiny}, -1.0f}, {{-0.0f}, -0.0f}, {{kInf}, kInf}}),
      lanes("v_rndne_f32",
            {{{0.5f}, 0.0f}, {{1.5f}, 2.0f}, {{2.5f}, 2.0f}, {{-0.5f}, -0.0f}, {{-1.5f}, -2.0f}, {{8388609.0f}, 8388609.0f}}),
      lanes("v_fract_f32", {{{1.75f}, 0.75f}, {{-1.25f}, 0.75f}, {{4.0f}, 0.0f}, {{kNan}, kNan}}),
      lanes("v_ldexp_f32", {{{1.5f, 3}, 12.0f},
                            {{1.5f, -149}, 0x1p-148f},
                            {{1.0f, -151}, 0.0f},
                            {{1.0f, 128}, kInf},
                            {{-0.0f, 5}, -0.0f},
                            {{kTiny, 149}, 1.0f},
                            {{kInf, -300}, kInf},
                            {{kNan, 2}, kNan}}),
      lanes("v_frexp_exp_i32_f32", {{{1.0f}, 1}, {{0.75f}, 0}, {{-8.0f}, 4}, {{0.0f}, 0}, {{kInf}, 0}, {{kNan}, 0}}),
      lanes("v_frexp_mant_f32",
            {{{1.0f}, 0.5f}, {{0.75f}, 0.75f}, {{-10.0f}, -0.625f}, {{-0.0f}, -0.0f}, {{kInf}, kInf}, {{kNan}, kNan}}),
  };
}

// The ISA allows 1 ulp here; exact arguments have to give exact results on any implementation.
Rows transcendental() {
  return {
      lanes("v_exp_f32", {{{0.0f}, 1.0f},
                          {{-0.0f}, 1.0f},
                          {{3.0f}, 8.0f},
                          {{-10.0f}, 0x1p-10f},
                          {{0.5f}, near(0x1.6a09e6p0f, 1)},
                          {{-1.25f}, near(0x1.ae89fap-2f, 1)},
                          {{128.0f}, kInf},
                          {{kInf}, kInf},
                          {{-kInf}, 0.0f},
                          {{kNan}, kNan}}),
      lanes("v_log_f32", {{{1.0f}, 0.0f},
                          {{8.0f}, 3.0f},
                          {{0.25f}, -2.0f},
                          {{10.0f}, near(0x1.a934fp1f, 1)},
                          {{0.0f}, -kInf},
                          {{-0.0f}, -kInf},
                          {{-1.0f}, kNan},
                          {{kInf}, kInf},
                          {{kNan}, kNan}}),
      lanes("v_rcp_f32", {{{2.0f}, 0.5f},
                          {{-4.0f}, -0.25f},
                          {{3.0f}, near(0x1.555556p-2f, 1)},
                          {{0.0f}, kInf},
                          {{-0.0f}, -kInf},
                          {{kInf}, 0.0f},
                          {{-kInf}, -0.0f},
                          {{kNan}, kNan}}),
      lanes("v_rcp_iflag_f32", {{{2.0f}, 0.5f}, {{7.0f}, near(0x1.24924ap-3f, 1)}, {{0.0f}, kInf}}),
      lanes("v_rsq_f32", {{{4.0f}, 0.5f},
                          {{0.0625f}, 4.0f},
                          {{2.0f}, near(0x1.6a09e6p-1f, 1)},
                          {{0.0f}, kInf},
                          {{-0.0f}, -kInf},
                          {{-1.0f}, kNan},
                          {{kInf}, 0.0f}}),
      lanes("v_sqrt_f32",
            {{{4.0f}, 2.0f}, {{2.0f}, near(0x1.6a09e6p0f, 1)}, {{0.0f}, 0.0f}, {{-0.0f}, -0.0f}, {{-1.0f}, kNan}, {{kInf}, kInf}}),
      lanes("v_sin_f32", {{{0.0f}, 0.0f},
                          {{0.25f}, 1.0f},
                          {{-0.25f}, -1.0f},
                          {{2.75f}, -1.0f},
                          {{0.125f}, near(0x1.6a09e6p-1f, 4)},
                          {{kInf}, kNan},
                          {{kNan}, kNan}}),
      lanes("v_cos_f32", {{{0.0f}, 1.0f}, {{0.5f}, -1.0f}, {{3.0f}, 1.0f}, {{0.125f}, near(0x1.6a09e6p-1f, 4)}, {{-kInf}, kNan}}),
  };
}

// v0 / v2 as the compiler expands it: scale, approximate, refine, fix the special cases. The quotient is IEEE's.
const char *const kDivision =
    "v_div_scale_f32 v10, null, v2, v2, v0\n v_rcp_f32 v11, v10\n v_fma_f32 v12, -v10, v11, 1.0\n"
    "v_fmac_f32 v11, v12, v11\n v_div_scale_f32 v13, vcc_lo, v0, v2, v0\n v_mul_f32 v14, v13, v11\n"
    "v_fma_f32 v12, -v10, v14, v13\n v_fmac_f32 v14, v12, v11\n v_fma_f32 v12, -v10, v14, v13\n"
    "v_div_fmas_f32 v12, v12, v11, v14\n v_div_fixup_f32 v8, v12, v2, v0\n"
    "v_mov_b32 v10, 0\n v_mov_b32 v11, 0\n v_mov_b32 v12, 0\n v_mov_b32 v13, 0\n v_mov_b32 v14, 0\n s_mov_b32 vcc_lo, 0";

Row divisions(std::function<std::pair<float, float>(unsigned)> operands) {
  Case test;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    test.results.push_back({kResult, lane, operands(lane).first / operands(lane).second});
  test.input = [operands](State &s) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      s.v[0][lane] = std::bit_cast<uint32_t>(operands(lane).first);
      s.v[2][lane] = std::bit_cast<uint32_t>(operands(lane).second);
    }
  };
  test.expected = [](State &s) {
    for (unsigned reg = 10; reg <= 14; ++reg)
      std::fill_n(s.v[reg], kLanes, 0);
    s.vcc = 0;
  };
  return {kDivision, {test}};
}

Rows division() {
  return {
      divisions([](unsigned lane) { return std::pair(1.0f + float(lane), 3.0f + 7.0f * float(lane % 5)); }),
      divisions([](unsigned lane) { return std::pair(std::ldexp(-1.37f, int(lane) * 8 - 126), 1.0f + 0.37f * float(lane)); }),
      divisions([](unsigned lane) { return std::pair(0x1.8p-60f + float(lane), std::ldexp(1.91f, 100 - int(lane) * 6)); }),
      divisions([](unsigned lane) { return std::pair(0x1.fp126f, std::ldexp(1.1f, int(lane) * 8 - 126)); }), // up to overflow
      divisions([](unsigned lane) {
        const float special[] = {0.0f, -0.0f, 1.0f, -kInf, kInf, kNan, kMax, kNormal};
        return std::pair(special[lane % 8], special[lane / 4]);
      }),
      lanes("v_div_fixup_f32", {{{2.0f, 3.0f, 6.0f}, 2.0f}, // quotient, denominator, numerator
                                {{2.0f, -3.0f, 6.0f}, -2.0f},
                                {{1.0f, 0.0f, 0.0f}, kNan},
                                {{1.0f, kInf, kInf}, kNan},
                                {{1.0f, 0.0f, -5.0f}, -kInf},
                                {{1.0f, -0.0f, -5.0f}, kInf},
                                {{1.0f, kInf, 5.0f}, 0.0f},
                                {{1.0f, -4.0f, 0.0f}, -0.0f},
                                {{1.0f, 4.0f, -kInf}, -kInf},
                                {{1.0f, kNan, 4.0f}, kNan},
                                {{1.0f, 4.0f, kNan}, kNan}}),
      // Ordinary operands need no scaling: the first source comes back and VCC is clear.
      wave(
          "v_div_scale_f32 v8, vcc_lo, v2, v2, v4",
          [](State &s) {
            for (unsigned lane = 0; lane < kLanes; ++lane)
              s.v[2][lane] = std::bit_cast<uint32_t>(3.0f + float(lane)),
              s.v[4][lane] = std::bit_cast<uint32_t>(1.0f - float(lane * lane) - 1.5f);
          },
          [](State &s) {
            for (unsigned lane = 0; lane < kLanes; ++lane)
              s.v[8][lane] = s.v[2][lane];
            s.vcc = 0;
          }),
      // A denominator too far below the numerator is scaled by 2^64, and VCC says so.
      wave(
          "v_div_scale_f32 v8, vcc_lo, v2, v2, v4",
          [](State &s) {
            for (unsigned lane = 0; lane < kLanes; ++lane)
              s.v[2][lane] = std::bit_cast<uint32_t>(0x1p-60f), s.v[4][lane] = std::bit_cast<uint32_t>(0x1p60f);
          },
          [](State &s) {
            for (unsigned lane = 0; lane < kLanes; ++lane)
              s.v[8][lane] = std::bit_cast<uint32_t>(0x1p4f);
            s.vcc = ~0u;
          }),
      wave(
          "v_div_fmas_f32 v8, v0, v2, v4",
          [](State &s) {
            for (unsigned lane = 0; lane < kLanes; ++lane)
              s.v[0][lane] = std::bit_cast<uint32_t>(2.0f), s.v[2][lane] = std::bit_cast<uint32_t>(3.0f),
              s.v[4][lane] = std::bit_cast<uint32_t>(4.0f);
            s.vcc = 0x0000ffff;
          },
          [](State &s) { // scaled lanes: 2^64, as the addend's exponent is above the bias
            for (unsigned lane = 0; lane < kLanes; ++lane)
              s.v[8][lane] = std::bit_cast<uint32_t>(lane < 16 ? std::ldexp(10.0f, 64) : 10.0f);
          }),
  };
}

Rows modifiers() {
  return {
      lanes("v_add_f32_e64 {d}, -{0}, |{1}|", {{{1.0f, -2.0f}, 1.0f}, {{-1.0f, 2.0f}, 3.0f}, {{0.0f, -0.0f}, 0.0f}}),
      lanes("v_mul_f32_e64 {d}, -|{0}|, {1}", {{{3.0f, 2.0f}, -6.0f}, {{-3.0f, 2.0f}, -6.0f}, {{-0.0f, 2.0f}, -0.0f}}),
      lanes("v_fma_f32 {d}, |{0}|, {1}, -{2}", {{{-2.0f, 3.0f, 1.0f}, 5.0f}, {{2.0f, 3.0f, -1.0f}, 7.0f}}),
      lanes("v_max_f32_e64 {d}, -{0}, -{0}", {{{1.0f}, -1.0f}, {{-0.0f}, 0.0f}}),
      lanes("v_add_f32_e64",
            {{{0.25f, 0.25f}, 0.5f}, {{1.0f, 2.0f}, 1.0f}, {{-1.0f, -2.0f}, 0.0f}, {{kNan, 1.0f}, 0.0f}, {{kInf, 1.0f}, 1.0f}},
            "clamp"),
      lanes("v_max_f32_e64 {d}, {0}, {0} clamp", {{{0.25f}, 0.25f}, {{7.0f}, 1.0f}, {{-3.0f}, 0.0f}}),
      // Inline constants, a literal and a scalar source.
      lanes("v_add_f32 {d}, 0.5, {0}", {{{1.0f}, 1.5f}}),
      lanes("v_mul_f32 {d}, -4.0, {0}", {{{1.5f}, -6.0f}}),
      lanes("v_mul_f32 {d}, 0.15915494, {0}", {{{1.0f}, 0x1.45f306p-3f}}), // 1 / (2 pi)
      lanes("v_add_f32 {d}, 0x40490fdb, {0}", {{{0.0f}, 0x1.921fb6p1f}}),
      lanes("v_add_f32 {d}, 1, {0}", {{{0.0f}, kTiny}}), // an integer inline constant is a bit pattern
      wave(
          "v_add_f32 v8, s4, v0",
          [](State &s) {
            s.s[4] = std::bit_cast<uint32_t>(2.0f);
            for (uint32_t &lane : s.v[0])
              lane = std::bit_cast<uint32_t>(0.5f);
          },
          [](State &s) {
            for (uint32_t &lane : s.v[8])
              lane = std::bit_cast<uint32_t>(2.5f);
          }),
      // In place.
      wave(
          "v_sub_f32 v0, v2, v0",
          [](State &s) {
            for (unsigned lane = 0; lane < kLanes; ++lane)
              s.v[0][lane] = std::bit_cast<uint32_t>(float(lane)), s.v[2][lane] = std::bit_cast<uint32_t>(0.5f);
          },
          [](State &s) {
            for (unsigned lane = 0; lane < kLanes; ++lane)
              s.v[0][lane] = std::bit_cast<uint32_t>(0.5f - float(lane));
          }),
  };
}

const MnemonicTable table("valu_f32",
                          [] { return join({arithmetic(), extrema(), rounding(), transcendental(), division(), modifiers()}); });

} // namespace
} // namespace ds4::sim::test
