// Vector integer and bit operations: 32-bit, 24-bit and 16-bit, carries, packing.
#include "tests/simulator/MnemonicTable.h"

namespace ds4::sim::test {
namespace {

constexpr uint32_t kMin = 0x80000000, kMax = 0x7fffffff, kOnes = ~0u;

Rows logic() {
  return {
      lanes("v_mov_b32", {{{0x12345678}, 0x12345678}, {{0u}, 0u}}),
      lanes("v_mov_b32 {d}, {0}", {{{-0.0f}, -0.0f}}),
      lanes("v_not_b32", {{{0x0f0f00ff}, 0xf0f0ff00}}),
      lanes("v_and_b32", {{{0xff00ff00, 0x0ff00ff0}, 0x0f000f00}}),
      lanes("v_or_b32", {{{0xff00ff00, 0x0ff00ff0}, 0xfff0fff0}}),
      lanes("v_xor_b32", {{{0xff00ff00, 0x0ff00ff0}, 0xf0f0f0f0}}),
      lanes("v_xnor_b32", {{{0xff00ff00, 0x0ff00ff0}, 0x0f0f0f0f}}),
      lanes("v_and_or_b32", {{{0xff00ff00, 0x0ff00ff0, 0x1}, 0x0f000f01}}),
      lanes("v_or3_b32", {{{0x1, 0x20, 0x300}, 0x321}, {{kMin, 1, 3}, 0x80000003}}),
      lanes("v_xor3_b32", {{{0xff, 0x0f, 0x3}, 0xf3}}),
      lanes("v_xad_u32", {{{0xff, 0x0f, 1}, 0xf1}, {{kOnes, 0, 1}, 0}}),
      lanes("v_bfi_b32", {{{0xff00, 0x1234, 0xabcd}, 0x12cd}, {{0, 5, 9}, 9}, {{kOnes, 5, 9}, 5}}),
      lanes("v_bfm_b32", {{{4, 8}, 0xf00}, {{0, 3}, 0}, {{31, 1}, 0xfffffffe}, {{36, 40}, 0xf00}}), // five bits of each count
      lanes("v_bfe_u32", {{{0x12345678, 8, 8}, 0x56},
                          {{kOnes, 4, 0}, 0},
                          {{0xf0000000, 28, 31}, 0xf},
                          {{0x12345678, 40, 8}, 0x56},
                          {{0x12345678, 8, 40}, 0x56}}),
      lanes("v_bfe_i32",
            {{{0x1234f678, 12, 4}, kOnes}, {{0x12347678, 12, 4}, 7}, {{kOnes, 4, 0}, 0}, {{0x80000000, 24, 8}, 0xffffff80}}),
      lanes("v_bfrev_b32", {{{1}, kMin}, {{0x12345678}, 0x1e6a2c48}}),
      lanes("v_bcnt_u32_b32", {{{0xff, 5}, 13}, {{0, 7}, 7}, {{kOnes, 0}, 32}, {{kOnes, kOnes}, 31}}),
      lanes("v_clz_i32_u32", {{{0}, -1}, {{1}, 31}, {{kOnes}, 0}, {{0x00800000}, 8}}),
      lanes("v_ctz_i32_b32", {{{0}, -1}, {{1}, 0}, {{kMin}, 31}, {{0x00800000}, 23}}),
      lanes("v_cls_i32", {{{0}, -1}, {{kOnes}, -1}, {{1}, 31}, {{0xfffffffe}, 31}, {{kMin}, 1}, {{0x00ffffff}, 8}}),
  };
}

Rows shifts() {
  return {
      lanes("v_lshlrev_b32", {{{4, 0x12345678}, 0x23456780}, {{31, 3}, kMin}, {{32, 5}, 5}, {{33, 5}, 10}, {{kOnes, 1}, kMin}}),
      lanes("v_lshrrev_b32", {{{4, 0x82345678}, 0x08234567}, {{31, kMin}, 1}, {{32, 5}, 5}, {{36, 0x50}, 5}}),
      lanes("v_ashrrev_i32", {{{4, 0x82345678}, 0xf8234567}, {{31, kMin}, kOnes}, {{32, kMin}, kMin}, {{33, -6}, -3}}),
      lanes("v_lshl_add_u32", {{{3, 4, 5}, 53}, {{1, 33, 1}, 3}, {{kOnes, 1, 2}, 0}}),
      lanes("v_add_lshl_u32", {{{3, 4, 2}, 28}, {{kOnes, 2, 33}, 2}}),
      lanes("v_lshl_or_b32", {{{3, 4, 5}, 53}, {{1, 36, 1}, 17}}),
      lanes("v_alignbit_b32", {{{0x12345678, 0x9abcdef0, 8}, 0x789abcde}, {{1, 2, 0}, 2}, {{1, 0, 33}, kMin}}),
      lanes("v_alignbyte_b32",
            {{{0x12345678, 0x9abcdef0, 1}, 0x789abcde}, {{0x12345678, 0x9abcdef0, 3}, 0x3456789a}, {{1, 2, 4}, 2}}),
      // Selector bytes: 0-3 second source, 4-7 first, 8-11 sign of a half's top byte, 12 zero, 13 and above ones.
      lanes("v_perm_b32", {{{0x04050607, 0x00010203, 0x00010203}, 0x03020100},
                           {{0x07060504, 0x03020100, 0x07060504}, 0x07060504},
                           {{0x80007fff, 0x7fff8000, 0x0b0a0908}, 0xff0000ff},
                           {{0x11223344, 0x55667788, 0x0c0dff04}, 0x00ffff44}}),
      lanes("v_lshlrev_b64", {{{4, 0x123456789abcdef0ull}, 0x23456789abcdef00ull}, {{64, 5ull}, 5ull}, {{63, 3ull}, 1ull << 63}}),
      lanes("v_lshrrev_b64", {{{4, 0x823456789abcdef0ull}, 0x0823456789abcdefull}, {{68, 0x50ull}, 5ull}}),
      lanes("v_ashrrev_i64",
            {{{4, 0x823456789abcdef0ull}, 0xf823456789abcdefull}, {{63, 1ull << 63}, ~0ull}, {{64, 1ull << 63}, 1ull << 63}}),
  };
}

Rows arithmetic() {
  return {
      lanes("v_add_nc_u32", {{{3, 4}, 7}, {{kOnes, 2}, 1}}),
      lanes("v_sub_nc_u32", {{{3, 4}, kOnes}, {{9, 4}, 5}}),
      lanes("v_subrev_nc_u32", {{{3, 4}, 1}, {{9, 4}, -5}}),
      lanes("v_add_nc_u32", {{{kOnes, 2}, kOnes}, {{3, 4}, 7}}, "clamp"),
      lanes("v_sub_nc_u32", {{{3, 4}, 0}, {{9, 4}, 5}}, "clamp"),
      lanes("v_subrev_nc_u32", {{{3, 4}, 1}, {{9, 4}, 0}}, "clamp"),
      lanes("v_add_nc_i32", {{{3, -4}, -1}, {{kMax, 1}, kMin}}),
      lanes("v_sub_nc_i32", {{{3, -4}, 7}, {{kMin, 1}, kMax}}),
      lanes("v_add_nc_i32", {{{kMax, 1}, kMax}, {{kMin, -1}, kMin}, {{3, -4}, -1}}, "clamp"),
      lanes("v_sub_nc_i32", {{{kMin, 1}, kMin}, {{kMax, -1}, kMax}, {{3, -4}, 7}}, "clamp"),
      lanes("v_add3_u32", {{{1, 2, 3}, 6}, {{kOnes, kOnes, 3}, 1}}),
      lanes("v_mul_lo_u32", {{{0x10001, 0x10001}, 0x20001}, {{kOnes, kOnes}, 1}}),
      lanes("v_mul_hi_u32", {{{kOnes, kOnes}, 0xfffffffe}, {{0x10000, 0x10000}, 1}}),
      lanes("v_mul_hi_i32", {{{kOnes, kOnes}, 0}, {{kMin, kMin}, 0x40000000}, {{-1, 5}, -1}}),
      lanes("v_mul_u32_u24", {{{0xff000003, 0x01000005}, 15}, {{0xffffff, 0xffffff}, 0xfe000001}}),
      lanes("v_mul_hi_u32_u24", {{{0xffffff, 0xffffff}, 0xffff}, {{0xff000003, 5}, 0}}),
      lanes("v_mul_i32_i24", {{{0xffffff, 5}, -5}, {{0x7fffff, 2}, 0xfffffe}, {{0x800000, 0x800000}, 0}}),
      lanes("v_mul_hi_i32_i24", {{{0xffffff, 5}, -1}, {{0x800000, 0x800000}, 0x4000}}),
      lanes("v_mad_u32_u24", {{{0xff000003, 5, 7}, 22}, {{0xffffff, 0xffffff, kOnes}, 0xfe000000}}),
      lanes("v_mad_i32_i24", {{{0xffffff, 5, 7}, 2}, {{0x7fffff, 2, 2}, 0x1000000}}),
      lanes("v_mad_u32_u16", {{{b16(0xffff), b16(0xffff), 5}, 0xfffe0006}, {{b16(3), b16(4), kOnes}, 11}}),
      lanes("v_mad_i32_i16", {{{b16(0xffff), b16(3), 5}, 2}, {{b16(0x8000), b16(0x8000), 0}, 0x40000000}}),
      lanes("v_max_u32", {{{1, kOnes}, kOnes}, {{5, 4}, 5}}),
      lanes("v_min_u32", {{{1, kOnes}, 1}, {{5, 4}, 4}}),
      lanes("v_max_i32", {{{1, kOnes}, 1}, {{kMin, kMax}, kMax}}),
      lanes("v_min_i32", {{{1, kOnes}, kOnes}, {{kMin, kMax}, kMin}}),
      lanes("v_max3_u32", {{{1, kOnes, 7}, kOnes}}),
      lanes("v_max3_i32", {{{1, kOnes, 7}, 7}}),
      lanes("v_min3_u32", {{{1, kOnes, 7}, 1}}),
      lanes("v_min3_i32", {{{1, kOnes, 7}, kOnes}}),
      lanes("v_med3_u32", {{{1, kOnes, 7}, 7}, {{9, 8, 7}, 8}}),
      lanes("v_med3_i32", {{{1, kOnes, 7}, 1}, {{9, 8, 7}, 8}}),
      lanes("v_maxmin_u32", {{{1, 5, 3}, 3}, {{kOnes, 0, 7}, 7}}),
      lanes("v_maxmin_i32", {{{1, 5, 3}, 3}, {{kOnes, -7, 7}, kOnes}}),
      lanes("v_minmax_u32", {{{1, 5, 3}, 3}, {{kOnes, 9, 7}, 9}}),
      lanes("v_minmax_i32", {{{1, 5, 3}, 3}, {{kOnes, 9, -7}, kOnes}}),
      lanes("v_sad_u8", {{{0x01ff0380, 0x02000500, 10}, 10 + 1 + 255 + 2 + 128}}),
      lanes("v_sad_hi_u8", {{{0x01ff0380, 0x02000500, 10}, 10 + ((1 + 255 + 2 + 128) << 16)}}),
      lanes("v_sad_u16", {{{pack(5, 65535), pack(9, 0), 1}, 1 + 4 + 65535}}),
      lanes("v_sad_u32", {{{5, kOnes, 1}, kOnes - 5 + 1}, {{9, 4, 3}, 8}}),
      lanes("v_msad_u8", {{{0x01ff0380, 0x02000500, 10}, 10 + 1 + 2}}), // bytes whose reference is 0 do not count
      lanes("v_lerp_u8", {{{0x01ff0380, 0x03010501, 0x00000001}, 0x02800441}}),
  };
}

Rows wide() {
  auto operands = [](State &s) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      s.v[0][lane] = lane % 3 == 0 ? kOnes : 0x10000 + lane;
      s.v[2][lane] = lane % 2 == 0 ? kOnes : 0x20001;
      s.setV64(4, lane, 0xffffffff00000001ull + lane);
    }
  };
  return {
      wave("v_mad_u64_u32 v[8:9], s10, v0, v2, v[4:5]", operands,
           [](State &s) {
             uint32_t carry = 0;
             for (unsigned lane = 0; lane < kLanes; ++lane) {
               auto sum = static_cast<unsigned __int128>(s.v[0][lane]) * s.v[2][lane] + s.v64(4, lane);
               s.setV64(8, lane, uint64_t(sum));
               carry |= uint32_t(sum >> 64) << lane;
             }
             s.s[10] = carry;
           }),
      lanes("v_mad_u64_u32 {d}, null, {0}, {1}, {2}", {{{kOnes, kOnes, 1ull}, 0xfffffffe00000002ull}, {{3, 4, 5ull}, 17ull}}),
      lanes("v_mad_i64_i32 {d}, null, {0}, {1}, {2}",
            {{{kOnes, kOnes, 1ull}, 2ull}, {{-3, 4, 5ull}, uint64_t(-7)}, {{kMin, kMin, 0ull}, 1ull << 62}}),
  };
}

// Carry-in and carry-out are lane masks; inactive lanes give 0.
Rows carries() {
  auto operands = [](State &s) {
    for (unsigned lane = 0; lane < kLanes; ++lane)
      s.v[0][lane] = lane & 1 ? kOnes : 5, s.v[2][lane] = lane & 2 ? 1 : lane & 4 ? 0xffff0000 : 5;
    s.vcc = 0x0ff0ff0f;
  };
  auto some = [operands](State &s) {
    operands(s);
    s.exec = 0x5555aa33;
  };
  auto row = [&](const std::string &text, bool sgpr, auto f) {
    auto expected = [=](State &s) {
      uint32_t carry = 0;
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        uint64_t r = f(uint64_t(s.v[0][lane]), uint64_t(s.v[2][lane]), uint64_t(s.vcc >> lane & 1));
        s.setActive(8, lane, uint32_t(r));
        carry |= uint32_t(s.active(lane) && (r >> 32 & 1)) << lane;
      }
      (sgpr ? s.s[10] : s.vcc) = carry;
    };
    return Row{text, {Case{operands, expected, {}, {}}, Case{some, expected, {}, {}}}};
  };
  // Clamp saturates the result and leaves the carry.
  auto clamped = [](uint32_t limit, auto f) {
    return [=](uint64_t a, uint64_t b, uint64_t c) { return f(a, b, c) >> 32 & 1 ? 1ull << 32 | limit : f(a, b, c); };
  };
  auto add = [](uint64_t a, uint64_t b, uint64_t) { return a + b; };
  auto sub = [](uint64_t a, uint64_t b, uint64_t) { return a - b; };
  auto subrev = [](uint64_t a, uint64_t b, uint64_t) { return b - a; };
  auto addc = [](uint64_t a, uint64_t b, uint64_t c) { return a + b + c; };
  auto subc = [](uint64_t a, uint64_t b, uint64_t c) { return a - b - c; };
  auto subrevc = [](uint64_t a, uint64_t b, uint64_t c) { return b - a - c; };
  return {
      row("v_add_co_u32 v8, vcc_lo, v0, v2", false, add),
      row("v_add_co_u32 v8, s10, v0, v2", true, add),
      row("v_sub_co_u32 v8, vcc_lo, v0, v2", false, sub),
      row("v_subrev_co_u32 v8, s10, v0, v2", true, subrev),
      row("v_add_co_ci_u32_e32 v8, vcc_lo, v0, v2, vcc_lo", false, addc),
      row("v_add_co_ci_u32_e64 v8, s10, v0, v2, vcc_lo", true, addc),
      row("v_sub_co_ci_u32_e32 v8, vcc_lo, v0, v2, vcc_lo", false, subc),
      row("v_sub_co_ci_u32_e64 v8, s10, v0, v2, vcc_lo", true, subc),
      row("v_subrev_co_ci_u32_e32 v8, vcc_lo, v0, v2, vcc_lo", false, subrevc),
      row("v_subrev_co_ci_u32_e64 v8, s10, v0, v2, vcc_lo", true, subrevc),
      row("v_add_co_u32 v8, s10, v0, v2 clamp", true, clamped(kOnes, add)),
      row("v_sub_co_u32 v8, s10, v0, v2 clamp", true, clamped(0, sub)),
      row("v_subrev_co_u32 v8, s10, v0, v2 clamp", true, clamped(0, subrev)),
      row("v_add_co_ci_u32_e64 v8, s10, v0, v2, vcc_lo clamp", true, clamped(kOnes, addc)),
      row("v_sub_co_ci_u32_e64 v8, s10, v0, v2, vcc_lo clamp", true, clamped(0, subc)),
      row("v_subrev_co_ci_u32_e64 v8, s10, v0, v2, vcc_lo clamp", true, clamped(0, subrevc)),
  };
}

Rows select() {
  auto masked = [](State &s) { s.vcc = 0x0ff0a55a, s.s[10] = 0x12345678; };
  auto pick = [](uint32_t State::*mask) {
    return [mask](State &s) {
      for (unsigned lane = 0; lane < kLanes; ++lane)
        s.v[8][lane] = s.*mask >> lane & 1 ? s.v[2][lane] : s.v[0][lane];
    };
  };
  return {
      wave("v_cndmask_b32_e32 v8, v0, v2, vcc_lo", masked, pick(&State::vcc)),
      wave("v_cndmask_b32_e64 v8, -v0, |v2|, s10", masked,
           [](State &s) {
             for (unsigned lane = 0; lane < kLanes; ++lane)
               s.v[8][lane] = s.s[10] >> lane & 1 ? s.v[2][lane] & 0x7fffffff : s.v[0][lane] ^ 0x80000000;
           }),
      wave("v_cndmask_b32 v8, 0, 1, vcc_lo", masked,
           [](State &s) {
             for (unsigned lane = 0; lane < kLanes; ++lane)
               s.v[8][lane] = s.vcc >> lane & 1;
           }),
      wave("v_cndmask_b16 v8.l, v0.l, v2.h, vcc_lo", masked,
           [](State &s) {
             for (unsigned lane = 0; lane < kLanes; ++lane)
               s.v[8][lane] = pack(s.vcc >> lane & 1 ? s.v[2][lane] >> 16 : s.v[0][lane], s.v[8][lane] >> 16);
           }),
      wave(
          "v_swap_b32 v0, v2", [](State &s) { s.exec = 0x00ffff0f; },
          [](State &s) {
            for (unsigned lane = 0; lane < kLanes; ++lane)
              if (s.active(lane))
                std::swap(s.v[0][lane], s.v[2][lane]);
          }),
      wave(
          "v_swap_b16 v0.l, v2.h", [](State &) {},
          [](State &s) {
            for (unsigned lane = 0; lane < kLanes; ++lane) {
              uint32_t a = s.v[0][lane], b = s.v[2][lane];
              s.v[0][lane] = pack(b >> 16, a >> 16);
              s.v[2][lane] = pack(b, a);
            }
          }),
  };
}

Rows sixteen() {
  using W = std::vector<LaneCase>;
  auto c = [](uint32_t a, uint32_t b, uint32_t d) { return LaneCase{{b16(a), b16(b)}, b16(d)}; };
  auto c3 = [](uint32_t a, uint32_t b, uint32_t x, uint32_t d) { return LaneCase{{b16(a), b16(b), b16(x)}, b16(d)}; };
  return {
      lanes("v_mov_b16", W{{{b16(0x1234)}, b16(0x1234)}}),
      lanes("v_not_b16", W{{{b16(0x1234)}, b16(0xedcb)}}),
      lanes("v_and_b16", W{c(0xff00, 0x0ff0, 0x0f00)}),
      lanes("v_or_b16", W{c(0xff00, 0x0ff0, 0xfff0)}),
      lanes("v_xor_b16", W{c(0xff00, 0x0ff0, 0xf0f0)}),
      lanes("v_add_nc_u16", W{c(3, 4, 7), c(0xffff, 2, 1)}),
      lanes("v_sub_nc_u16", W{c(3, 4, 0xffff), c(9, 4, 5)}),
      lanes("v_add_nc_u16", W{c(3, 4, 7), c(0xffff, 2, 0xffff)}, "clamp"),
      lanes("v_sub_nc_u16", W{c(3, 4, 0), c(9, 4, 5)}, "clamp"),
      lanes("v_add_nc_i16", W{c(0x7fff, 1, 0x8000), c(3, 0xfffc, 0xffff)}),
      lanes("v_sub_nc_i16", W{c(0x8000, 1, 0x7fff), c(3, 0xfffc, 7)}),
      lanes("v_add_nc_i16", W{c(0x7fff, 1, 0x7fff), c(0x8000, 0xffff, 0x8000)}, "clamp"),
      lanes("v_sub_nc_i16", W{c(0x8000, 1, 0x8000), c(0x7fff, 0xffff, 0x7fff)}, "clamp"),
      lanes("v_lshlrev_b16", W{c(4, 0x1234, 0x2340), c(15, 3, 0x8000), c(16, 5, 5)}),
      lanes("v_lshrrev_b16", W{c(4, 0x8234, 0x0823), c(17, 6, 3)}),
      lanes("v_ashrrev_i16", W{c(4, 0x8234, 0xf823), c(15, 0x8000, 0xffff), c(16, 0x8000, 0x8000)}),
      lanes("v_mul_lo_u16", W{c(0x101, 0x101, 0x201), c(0xffff, 0xffff, 1)}),
      lanes("v_mad_u16", W{c3(3, 4, 5, 17), c3(0xffff, 0xffff, 0xffff, 0)}),
      lanes("v_mad_i16", W{c3(0xffff, 4, 5, 1), c3(0x100, 0x100, 7, 7)}),
      lanes("v_mad_u16", W{c3(3, 4, 5, 17), c3(0xffff, 0xffff, 0xffff, 0xffff)}, "clamp"),
      lanes("v_mad_i16", W{c3(0x8000, 4, 5, 0x8000), c3(0x100, 0x100, 7, 0x7fff)}, "clamp"),
      lanes("v_max_u16", W{c(1, 0xffff, 0xffff)}),
      lanes("v_min_u16", W{c(1, 0xffff, 1)}),
      lanes("v_max_i16", W{c(1, 0xffff, 1)}),
      lanes("v_min_i16", W{c(1, 0xffff, 0xffff)}),
      lanes("v_max3_u16", W{c3(1, 0xffff, 7, 0xffff)}),
      lanes("v_max3_i16", W{c3(1, 0xffff, 7, 7)}),
      lanes("v_min3_u16", W{c3(1, 0xffff, 7, 1)}),
      lanes("v_min3_i16", W{c3(1, 0xffff, 7, 0xffff)}),
      lanes("v_med3_u16", W{c3(1, 0xffff, 7, 7)}),
      lanes("v_med3_i16", W{c3(1, 0xffff, 7, 1)}),
      wave(
          "v_add_nc_u16 v8.h, v0.h, v2.l", [](State &) {},
          [](State &s) {
            for (unsigned lane = 0; lane < kLanes; ++lane)
              s.v[8][lane] = pack(s.v[8][lane], (s.v[0][lane] >> 16) + s.v[2][lane]);
          }),
      wave(
          "v_mov_b16 v8.h, v0.l", [](State &) {},
          [](State &s) {
            for (unsigned lane = 0; lane < kLanes; ++lane)
              s.v[8][lane] = pack(s.v[8][lane], s.v[0][lane]);
          }),
  };
}

const MnemonicTable table("valu_int",
                          [] { return join({logic(), shifts(), arithmetic(), wide(), carries(), select(), sixteen()}); });
const MnemonicTable nop("valu_nop", [] {
  return Rows{wave("v_nop", [](State &) {}, [](State &) {}), wave("v_pipeflush", [](State &) {}, [](State &) {})};
});

} // namespace
} // namespace ds4::sim::test
