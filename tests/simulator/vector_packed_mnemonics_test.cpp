// Packed 16-bit arithmetic, v_fma_mix, dot products and VOPD pairs.
#include <cmath>
#include <limits>

#include "tests/simulator/MnemonicTable.h"

namespace ds4::sim::test {
namespace {

const float kInf = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();

// Results are given low, high.
LaneCase halves(std::vector<std::pair<float, float>> in, std::pair<float, float> out) {
  LaneCase result{{}, packHalves(out.first, out.second)};
  for (auto [low, high] : in)
    result.in.push_back(packHalves(low, high));
  return result;
}
LaneCase words(std::vector<std::pair<uint32_t, uint32_t>> in, std::pair<uint32_t, uint32_t> out) {
  LaneCase result{{}, pack(out.first, out.second)};
  for (auto [low, high] : in)
    result.in.push_back(pack(low, high));
  return result;
}

Rows packedFloat() {
  return {
      lanes("v_pk_add_f16", {halves({{1.5f, 2}, {0.25f, -4}}, {1.75f, -2}), halves({{2048, -0.0f}, {1, -0.0f}}, {2048, -0.0f}),
                             halves({{65504, 0x1p-24f}, {65504, 0x1p-24f}}, {kInf, 0x1p-23f})}),
      lanes("v_pk_mul_f16", {halves({{1.5f, 2}, {0.5f, -4}}, {0.75f, -8}), halves({{256, -0.0f}, {256, 5}}, {kInf, -0.0f})}),
      lanes("v_pk_fma_f16", {halves({{2, -1}, {3, 4}, {4, 0.5f}}, {10, -3.5f}),
                             halves({{1 + 0x1p-10f, 1}, {1 + 0x1p-10f, 1}, {-(1 + 0x1p-9f), 0x1p-11f}}, {0x1p-20f, 1})}),
      // One rounding: the product is 2^-11 + 6 * 2^-32, whose low bits break the tie that f32 would see.
      lanes("v_pk_fma_f16", {halves({{1141 * 0x1p-16f, 1141 * 0x1p-16f}, {1838 * 0x1p-16f, 1838 * 0x1p-16f}, {1, -1}},
                                    {1 + 0x1p-10f, -(1 - 0x1p-11f)})}),
      accumulates("v_pk_fmac_f16", {halves({{2, -1}, {3, 4}, {4, 0.5f}}, {10, -3.5f})}),
      lanes("v_pk_max_f16", {halves({{1, -0.0f}, {2, 0.0f}}, {2, 0.0f}), halves({{kNan, 3}, {-1, kNan}}, {-1, 3})}),
      lanes("v_pk_min_f16", {halves({{1, -0.0f}, {2, 0.0f}}, {1, -0.0f}), halves({{kNan, 3}, {-1, kNan}}, {-1, 3})}),
      lanes("v_pk_add_f16", {halves({{1, 2}, {10, 20}}, {21, 12})}, "op_sel:[0,1] op_sel_hi:[1,0]"),
      lanes("v_pk_add_f16", {halves({{1, 2}, {10, 20}}, {11, 11})}, "op_sel_hi:[0,0]"),
      lanes("v_pk_add_f16", {halves({{1, 2}, {10, 20}}, {-9, 22 - 40})}, "neg_lo:[0,1] neg_hi:[0,1]"),
      lanes("v_pk_mul_f16", {halves({{1, 2}, {10, 20}}, {-10, 40})}, "neg_lo:[1,0]"),
      lanes("v_pk_add_f16", {halves({{0.5f, 2}, {0.25f, 20}}, {0.75f, 1}), halves({{-1, kNan}, {0, 0}}, {0, 0})}, "clamp"),
      // A float constant has a zero upper half.
      lanes("v_pk_add_f16 {d}, {0}, 1.0 op_sel_hi:[1,0]", {halves({{1, 2}}, {2, 3})}),
      lanes("v_pk_mul_f16 {d}, {0}, 2.0", {halves({{3, 5}}, {6, 0})}),
  };
}

Rows packedInteger() {
  return {
      lanes("v_pk_add_u16", {words({{3, 0xffff}, {4, 2}}, {7, 1})}),
      lanes("v_pk_sub_u16", {words({{3, 9}, {4, 2}}, {0xffff, 7})}),
      lanes("v_pk_add_u16", {words({{3, 0xffff}, {4, 2}}, {7, 0xffff})}, "clamp"),
      lanes("v_pk_sub_u16", {words({{3, 9}, {4, 2}}, {0, 7})}, "clamp"),
      lanes("v_pk_add_i16", {words({{0x7fff, 3}, {1, 0xffff}}, {0x8000, 2})}),
      lanes("v_pk_sub_i16", {words({{0x8000, 3}, {1, 0xffff}}, {0x7fff, 4})}),
      lanes("v_pk_add_i16", {words({{0x7fff, 0x8000}, {1, 0xffff}}, {0x7fff, 0x8000})}, "clamp"),
      lanes("v_pk_sub_i16", {words({{0x8000, 0x7fff}, {1, 0xffff}}, {0x8000, 0x7fff})}, "clamp"),
      lanes("v_pk_mul_lo_u16", {words({{0x101, 0xffff}, {0x101, 0xffff}}, {0x201, 1})}),
      lanes("v_pk_mad_u16", {words({{3, 0xffff}, {4, 0xffff}, {5, 0xffff}}, {17, 0})}),
      lanes("v_pk_mad_i16", {words({{0xffff, 0x100}, {4, 0x100}, {5, 7}}, {1, 7})}),
      lanes("v_pk_mad_u16", {words({{3, 0xffff}, {4, 0xffff}, {5, 0xffff}}, {17, 0xffff})}, "clamp"),
      lanes("v_pk_mad_i16", {words({{0x8000, 0x100}, {4, 0x100}, {5, 7}}, {0x8000, 0x7fff})}, "clamp"),
      lanes("v_pk_max_u16", {words({{1, 0xffff}, {2, 3}}, {2, 0xffff})}),
      lanes("v_pk_min_u16", {words({{1, 0xffff}, {2, 3}}, {1, 3})}),
      lanes("v_pk_max_i16", {words({{1, 0xffff}, {2, 3}}, {2, 3})}),
      lanes("v_pk_min_i16", {words({{1, 0xffff}, {2, 3}}, {1, 0xffff})}),
      lanes("v_pk_lshlrev_b16", {words({{4, 17}, {0x1234, 3}}, {0x2340, 6})}),
      lanes("v_pk_lshrrev_b16", {words({{4, 17}, {0x8234, 6}}, {0x0823, 3})}),
      lanes("v_pk_ashrrev_i16", {words({{4, 15}, {0x8234, 0x8000}}, {0xf823, 0xffff})}),
      lanes("v_pk_add_u16", {words({{1, 2}, {10, 20}}, {22, 11})}, "op_sel:[1,1] op_sel_hi:[0,0]"),
  };
}

Rows mix() {
  auto operands = [](State &s) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      s.v[0][lane] = packHalves(2, -3);
      s.v[2][lane] = std::bit_cast<uint32_t>(0.5f + float(lane));
      s.v[4][lane] = packHalves(-7, 100);
    }
  };
  auto single = [](auto f) {
    return [f](State &s) {
      for (unsigned lane = 0; lane < kLanes; ++lane)
        s.v[8][lane] = std::bit_cast<uint32_t>(f(0.5f + float(lane)));
    };
  };
  auto half = [](bool high, auto f) {
    return [=](State &s) {
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        const uint32_t bits = uint32_t(h(f(0.5f + float(lane))).bits);
        s.v[8][lane] = high ? pack(s.v[8][lane], bits) : pack(bits, s.v[8][lane] >> 16);
      }
    };
  };
  return {
      lanes("v_fma_mix_f32", {{{2.0f, 3.0f, 4.0f}, 10.0f}, {{0x1.000002p0f, 0x1.000002p0f, -0x1.000004p0f}, 0x1p-46f}}),
      wave("v_fma_mix_f32 v8, v0, v2, v4 op_sel:[0,0,1] op_sel_hi:[1,0,1]", operands, single([](float x) { return 2 * x + 100; })),
      wave("v_fma_mix_f32 v8, v0, v2, v4 op_sel:[1,0,0] op_sel_hi:[1,0,1]", operands, single([](float x) { return -3 * x - 7; })),
      wave("v_fma_mix_f32 v8, -v0, v2, |v4| op_sel_hi:[1,0,1]", operands, single([](float x) { return -2 * x + 7; })),
      wave("v_fma_mix_f32 v8, v0, v2, v4 op_sel_hi:[1,0,1] clamp", operands,
           single([](float x) { return std::fmin(std::fmax(2 * x - 7, 0.0f), 1.0f); })),
      wave("v_fma_mixlo_f16 v8, v0, v2, v4 op_sel_hi:[1,0,1]", operands, half(false, [](float x) { return 2 * x - 7; })),
      wave("v_fma_mixhi_f16 v8, v0, v2, v4 op_sel:[0,0,1] op_sel_hi:[1,0,1]", operands,
           half(true, [](float x) { return 2 * x + 100; })),
      wave("v_fma_mixlo_f16 v8, v0, v2, -|v4| op_sel_hi:[1,0,1]", operands, half(false, [](float x) { return 2 * x - 7; })),
      wave("v_fma_mixhi_f16 v0, v0, v2, v4 op_sel_hi:[1,0,1]", operands,
           [](State &s) { // in place
             for (unsigned lane = 0; lane < kLanes; ++lane)
               s.v[0][lane] = packHalves(2, 2 * (0.5f + float(lane)) - 7);
           }),
  };
}

constexpr uint32_t bytes(int a, int b, int c, int d) {
  return uint32_t(a & 255) | uint32_t(b & 255) << 8 | uint32_t(c & 255) << 16 | uint32_t(d & 255) << 24;
}

Rows dot() {
  return {
      lanes("v_dot4_i32_iu8",
            {{{bytes(1, 2, 3, 4), bytes(5, 6, 7, 8), 10}, 80}, {{bytes(255, 0, 0, 0), bytes(255, 0, 0, 0), -1}, 65024}}),
      lanes("v_dot4_i32_iu8",
            {{{bytes(-1, 2, -3, 4), bytes(5, -6, 7, 8), 10}, 10 - 5 - 12 - 21 + 32},
             {{bytes(-128, -128, -128, -128), bytes(-128, -128, -128, -128), 0}, 65536}},
            "neg_lo:[1,1,0]"),
      lanes("v_dot4_i32_iu8", {{{bytes(-1, 0, 0, 0), bytes(255, 0, 0, 0), 0}, -255}}, "neg_lo:[1,0,0]"),
      lanes("v_dot4_i32_iu8", {{{bytes(255, 0, 0, 0), bytes(-1, 0, 0, 0), 0}, -255}}, "neg_lo:[0,1,0]"),
      lanes("v_dot4_i32_iu8",
            {{{bytes(1, 0, 0, 0), bytes(1, 0, 0, 0), 0x7fffffff}, 0x7fffffff}, {{bytes(1, 0, 0, 0), bytes(1, 0, 0, 0), 5}, 6}},
            "clamp"),
      lanes("v_dot4_i32_iu8", {{{bytes(1, 0, 0, 0), bytes(1, 0, 0, 0), 0x7fffffff}, 0x80000000}}),
      lanes("v_dot4_u32_u8", {{{bytes(255, 2, 3, 4), bytes(255, 6, 7, 8), 10}, 65025 + 12 + 21 + 32 + 10}}),
      lanes("v_dot8_i32_iu4", {{{0x87654321, 0x11111111, 5}, 41}, {{0xffffffff, 0xffffffff, 0}, 1800}}),
      lanes("v_dot8_i32_iu4",
            {{{0x87654321, 0x1f1f1f1f, 5}, 5 - 1 + 2 - 3 + 4 - 5 + 6 - 7 - 8}, {{0x88888888, 0x88888888, 0}, 512}},
            "neg_lo:[1,1,0]"),
      lanes("v_dot8_u32_u4", {{{0x87654321, 0x11111111, 5}, 41}}),
      lanes("v_dot2_f32_f16", {{{packHalves(2, 3), packHalves(5, 7), 100.0f}, 131.0f},
                               {{packHalves(0x1p-24f, 0), packHalves(0x1p-24f, 0), 0.0f}, 0x1p-48f}}),
      lanes("v_dot2_f32_f16", {{{packHalves(2, 3), packHalves(5, 7), 100.0f}, 111.0f}}, "neg_lo:[1,0,0]"),
      lanes("v_dot2_f32_bf16", {{{pack(0x4000, 0x4040), pack(0x40a0, 0x40e0), 100.0f}, 131.0f}}), // 2, 3 and 5, 7
      accumulates("v_dot2acc_f32_f16", {{{packHalves(2, 3), packHalves(5, 7), 100.0f}, 131.0f}}),
      lanes("v_dot2_f16_f16", {{{packHalves(2, 3), packHalves(5, 7), h(100)}, h(131)}}),
      lanes("v_dot2_bf16_bf16", {{{pack(0x4000, 0x4040), pack(0x40a0, 0x40e0), b16(0x42c8)}, b16(0x4303)}}),
  };
}

// X writes v8 or v10, Y v9 or v11: the encoding wants one even and one odd destination and distinct source banks.
Rows pairs() {
  auto operands = [](State &s) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      s.v[0][lane] = std::bit_cast<uint32_t>(1.0f + float(lane));
      s.v[1][lane] = std::bit_cast<uint32_t>(2.5f);
      s.v[2][lane] = std::bit_cast<uint32_t>(-3.0f);
      s.v[3][lane] = std::bit_cast<uint32_t>(16.0f);
      s.v[8][lane] = std::bit_cast<uint32_t>(100.0f);
      s.v[9][lane] = std::bit_cast<uint32_t>(200.0f);
    }
    s.vcc = 0x00ff0ff0;
    s.exec = 0xfffffff7;
  };
  auto floats = [](auto x, auto y) {
    return [=](State &s) {
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        auto f = [&](unsigned reg) { return std::bit_cast<float>(s.v[reg][lane]); };
        const float a = x(f(0), f(3), f(8)), b = y(f(1), f(2), f(9));
        s.setActive(8, lane, std::bit_cast<uint32_t>(a));
        s.setActive(9, lane, std::bit_cast<uint32_t>(b));
      }
    };
  };
  using F = float;
  return {
      wave("v_dual_mov_b32 v8, v0 :: v_dual_mov_b32 v9, v1", operands,
           floats([](F a, F, F) { return a; }, [](F a, F, F) { return a; })),
      wave("v_dual_add_f32 v8, v0, v3 :: v_dual_mul_f32 v9, v1, v2", operands,
           floats([](F a, F b, F) { return a + b; }, [](F a, F b, F) { return a * b; })),
      wave("v_dual_sub_f32 v8, v0, v3 :: v_dual_subrev_f32 v9, v1, v2", operands,
           floats([](F a, F b, F) { return a - b; }, [](F a, F b, F) { return b - a; })),
      wave("v_dual_max_f32 v8, v0, v3 :: v_dual_min_f32 v9, v1, v2", operands,
           floats([](F a, F b, F) { return a > b ? a : b; }, [](F a, F b, F) { return a < b ? a : b; })),
      wave("v_dual_mul_dx9_zero_f32 v8, v0, v3 :: v_dual_add_f32 v9, v1, v2", operands,
           floats([](F a, F b, F) { return a * b; }, [](F a, F b, F) { return a + b; })),
      wave("v_dual_fmac_f32 v8, v0, v3 :: v_dual_fmac_f32 v9, v1, v2", operands,
           floats([](F a, F b, F d) { return std::fma(a, b, d); }, [](F a, F b, F d) { return std::fma(a, b, d); })),
      wave("v_dual_fmaak_f32 v8, v0, v3, 0x41200000 :: v_dual_mov_b32 v9, v1", operands,
           floats([](F a, F b, F) { return a * b + 10; }, [](F a, F, F) { return a; })),
      wave("v_dual_fmamk_f32 v8, v0, 0x41200000, v3 :: v_dual_mov_b32 v9, v1", operands,
           floats([](F a, F b, F) { return a * 10 + b; }, [](F a, F, F) { return a; })),
      wave("v_dual_mov_b32 v8, 1.0 :: v_dual_mov_b32 v9, 0", operands,
           floats([](F, F, F) { return 1.0f; }, [](F, F, F) { return 0.0f; })),
      wave("v_dual_cndmask_b32 v8, v0, v3 :: v_dual_mov_b32 v9, v1", operands,
           [](State &s) {
             for (unsigned lane = 0; lane < kLanes; ++lane) {
               s.setActive(8, lane, s.vcc >> lane & 1 ? s.v[3][lane] : s.v[0][lane]);
               s.setActive(9, lane, s.v[1][lane]);
             }
           }),
      wave("v_dual_mov_b32 v8, v0 :: v_dual_add_nc_u32 v9, v1, v2", operands,
           [](State &s) {
             for (unsigned lane = 0; lane < kLanes; ++lane)
               s.setActive(8, lane, s.v[0][lane]), s.setActive(9, lane, s.v[1][lane] + s.v[2][lane]);
           }),
      wave("v_dual_mov_b32 v8, v0 :: v_dual_lshlrev_b32 v9, 4, v2", operands,
           [](State &s) {
             for (unsigned lane = 0; lane < kLanes; ++lane)
               s.setActive(8, lane, s.v[0][lane]), s.setActive(9, lane, s.v[2][lane] << 4);
           }),
      wave("v_dual_mov_b32 v8, v0 :: v_dual_and_b32 v9, 0x1fffffff, v2", operands,
           [](State &s) {
             for (unsigned lane = 0; lane < kLanes; ++lane)
               s.setActive(8, lane, s.v[0][lane]), s.setActive(9, lane, s.v[2][lane] & 0x1fffffff);
           }),
      wave(
          "v_dual_dot2acc_f32_f16 v8, v0, v3 :: v_dual_mov_b32 v9, v1",
          [](State &s) {
            for (unsigned lane = 0; lane < kLanes; ++lane)
              s.v[0][lane] = packHalves(2, 3), s.v[3][lane] = packHalves(5, float(lane)),
              s.v[8][lane] = std::bit_cast<uint32_t>(100.0f);
          },
          [](State &s) {
            for (unsigned lane = 0; lane < kLanes; ++lane)
              s.v[8][lane] = std::bit_cast<uint32_t>(110.0f + 3 * float(lane)), s.v[9][lane] = s.v[1][lane];
          }),
      wave(
          "v_dual_dot2acc_f32_bf16 v8, v0, v3 :: v_dual_mov_b32 v9, v1",
          [](State &s) {
            for (unsigned lane = 0; lane < kLanes; ++lane) // 2, 3 and 5, 7
              s.v[0][lane] = pack(0x4000, 0x4040), s.v[3][lane] = pack(0x40a0, 0x40e0),
              s.v[8][lane] = std::bit_cast<uint32_t>(100.0f);
          },
          [](State &s) {
            for (unsigned lane = 0; lane < kLanes; ++lane)
              s.v[8][lane] = std::bit_cast<uint32_t>(131.0f), s.v[9][lane] = s.v[1][lane];
          }),
      // Each half reads what the other writes: an exchange.
      wave("v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v1, v0", operands,
           [](State &s) {
             for (unsigned lane = 0; lane < kLanes; ++lane)
               if (s.active(lane))
                 std::swap(s.v[0][lane], s.v[1][lane]);
           }),
      wave("v_dual_add_f32 v8, v0, v3 :: v_dual_add_f32 v9, v1, v8", operands,
           [](State &s) { // Y reads the old v8
             for (unsigned lane = 0; lane < kLanes; ++lane) {
               s.setActive(8, lane, std::bit_cast<uint32_t>(17.0f + float(lane)));
               s.setActive(9, lane, std::bit_cast<uint32_t>(102.5f));
             }
           }),
  };
}

const MnemonicTable packedTable("packed", [] { return join({packedFloat(), packedInteger()}); });
const MnemonicTable mixTable("mix", mix);
const MnemonicTable dotTable("dot", dot);
const MnemonicTable pairTable("vopd", pairs);

} // namespace
} // namespace ds4::sim::test
