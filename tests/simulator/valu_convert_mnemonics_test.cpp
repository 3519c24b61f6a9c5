// Conversions between formats: truncation with saturation, NaN to 0, rounding modes of the packed forms.
#include <limits>

#include "tests/simulator/MnemonicTable.h"

namespace ds4::sim::test {
namespace {

const float kInf = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();
constexpr uint32_t kMin = 0x80000000, kMax = 0x7fffffff, kOnes = ~0u;

Rows single() {
  return {
      lanes("v_cvt_f32_i32",
            {{{5}, 5.0f}, {{-7}, -7.0f}, {{0}, 0.0f}, {{kMin}, -0x1p31f}, {{0x1000001}, 0x1p24f}, {{0x1000003}, 0x1.000004p24f}}),
      lanes("v_cvt_f32_u32", {{{5}, 5.0f}, {{kOnes}, 0x1p32f}, {{kMin}, 0x1p31f}, {{0x1000003}, 0x1.000004p24f}}),
      lanes("v_cvt_i32_f32",
            {{{1.9f}, 1}, {{-1.9f}, -1}, {{-0.5f}, 0}, {{0x1p31f}, kMax}, {{-0x1p31f}, kMin}, {{-kInf}, kMin}, {{kNan}, 0}}),
      lanes("v_cvt_u32_f32", {{{1.9f}, 1}, {{-1.9f}, 0}, {{0x1p31f}, kMin}, {{0x1p32f}, kOnes}, {{kInf}, kOnes}, {{kNan}, 0}}),
      lanes("v_cvt_nearest_i32_f32",
            {{{1.5f}, 2}, {{2.5f}, 3}, {{-1.5f}, -1}, {{-1.6f}, -2}, {{0.25f}, 0}, {{0x1p40f}, kMax}, {{kNan}, 0}}),
      lanes("v_cvt_floor_i32_f32", {{{1.5f}, 1}, {{-1.25f}, -2}, {{-0x1p40f}, kMin}, {{kNan}, 0}}),
      lanes("v_cvt_f32_ubyte0", {{{0x12345678}, 120.0f}, {{255}, 255.0f}}),
      lanes("v_cvt_f32_ubyte1", {{{0x12345678}, float(0x56)}}),
      lanes("v_cvt_f32_ubyte2", {{{0x12345678}, float(0x34)}}),
      lanes("v_cvt_f32_ubyte3", {{{0xff345678}, 255.0f}}),
      lanes("v_cvt_off_f32_i4", {{{0}, 0.0f}, {{1}, 0.0625f}, {{7}, 0.4375f}, {{8}, -0.5f}, {{0xf}, -0.0625f}, {{0x17}, 0.4375f}}),
  };
}

Rows half() {
  return {
      lanes("v_cvt_f32_f16", {{{h(1.5f)}, 1.5f},
                              {{h(65504)}, 65504.0f},
                              {{h(0x1p-24f)}, 0x1p-24f},
                              {{h(-0.0f)}, -0.0f},
                              {{h(kInf)}, kInf},
                              {{h(kNan)}, kNan}}),
      lanes("v_cvt_f16_f32", {{{1.5f}, h(1.5f)},
                              {{65519.0f}, h(65504)},
                              {{65520.0f}, h(kInf)},
                              {{0x1p-24f}, h(0x1p-24f)},
                              {{0x1p-25f}, h(0)},
                              {{0x1.8p-25f}, h(0x1p-24f)},
                              {{1.0f + 0x1p-11f}, h(1)},
                              {{1.0f + 0x1.8p-10f}, h(1 + 0x1p-9f)},
                              {{-0.0f}, h(-0.0f)},
                              {{kNan}, h(kNan)}}),
      lanes("v_cvt_f16_u16", {{{b16(5)}, h(5)}, {{b16(65535)}, h(kInf)}, {{b16(2049)}, h(2048)}}),
      lanes("v_cvt_f16_i16", {{{b16(5)}, h(5)}, {{b16(0xfffb)}, h(-5)}, {{b16(0x8000)}, h(-32768)}}),
      lanes("v_cvt_u16_f16",
            {{{h(1.9f)}, b16(1)}, {{h(-3)}, b16(0)}, {{h(65504)}, b16(65504)}, {{h(kInf)}, b16(65535)}, {{h(kNan)}, b16(0)}}),
      lanes("v_cvt_i16_f16", {{{h(1.9f)}, b16(1)},
                              {{h(-3.9f)}, b16(0xfffd)},
                              {{h(40000)}, b16(0x7fff)},
                              {{h(-kInf)}, b16(0x8000)},
                              {{h(kNan)}, b16(0)}}),
      lanes("v_cvt_norm_i16_f16", {{{h(1)}, b16(32767)}, {{h(-1)}, b16(0x8001)}, {{h(0)}, b16(0)}, {{h(7)}, b16(32767)}}),
      lanes("v_cvt_norm_u16_f16", {{{h(1)}, b16(65535)}, {{h(-1)}, b16(0)}, {{h(0)}, b16(0)}}),
      lanes("v_cvt_i32_i16", {{{b16(0xfffb)}, -5}, {{b16(7)}, 7}}),
      lanes("v_cvt_u32_u16", {{{b16(0xfffb)}, 0xfffb}, {{b16(7)}, 7}}),
      lanes("v_sat_pk_u8_i16", {{{pack(300, 0xfffb)}, b16(0x00ff)}, {{pack(17, 255)}, b16(0xff11)}}),
      wave(
          "v_cvt_f32_f16 v8, v0.h",
          [](State &s) {
            for (uint32_t &lane : s.v[0])
              lane = packHalves(1, -2.5f);
          },
          [](State &s) {
            for (uint32_t &lane : s.v[8])
              lane = std::bit_cast<uint32_t>(-2.5f);
          }),
      wave(
          "v_cvt_f16_f32 v8.h, -v0",
          [](State &s) {
            for (uint32_t &lane : s.v[0])
              lane = std::bit_cast<uint32_t>(0.25f);
          },
          [](State &s) {
            for (uint32_t &lane : s.v[8])
              lane = pack(lane, uint32_t(h(-0.25f).bits));
          }),
  };
}

Rows packed() {
  return {
      // Towards zero: an overflowing finite value stops at the largest finite one.
      lanes("v_cvt_pk_rtz_f16_f32", {{{1.5f, -2.0f}, packHalves(1.5f, -2)},
                                     {{1.0f + 0x1.ffcp-11f, -65519.0f}, packHalves(1, -65504)},
                                     {{1e6f, kInf}, packHalves(65504, kInf)},
                                     {{0x1.8p-24f, -0x1p-25f}, 0x80000001}}),
      lanes("v_cvt_pk_i16_f32", {{{1.9f, -1.9f}, pack(1, 0xffff)}, {{1e6f, -1e6f}, pack(0x7fff, 0x8000)}}),
      lanes("v_cvt_pk_u16_f32", {{{1.9f, 40000.0f}, pack(1, 40000)}, {{-3.0f, 1e6f}, pack(0, 0xffff)}}),
      lanes("v_cvt_pk_norm_i16_f32", {{{1.0f, -1.0f}, pack(32767, 0x8001)}, {{0.0f, 9.0f}, pack(0, 32767)}}),
      lanes("v_cvt_pk_norm_u16_f32", {{{1.0f, -1.0f}, pack(65535, 0)}, {{0.0f, 9.0f}, pack(0, 65535)}}),
      lanes("v_cvt_pk_norm_i16_f16", {{{h(1), h(-1)}, pack(32767, 0x8001)}, {{h(0), h(9)}, pack(0, 32767)}}),
      lanes("v_cvt_pk_norm_u16_f16", {{{h(1), h(-1)}, pack(65535, 0)}, {{h(0), h(9)}, pack(0, 65535)}}),
      lanes("v_cvt_pk_i16_i32", {{{5, -5}, pack(5, 0xfffb)}, {{-32768, 32767}, pack(0x8000, 0x7fff)}}),
      lanes("v_cvt_pk_u16_u32", {{{5, 65535}, pack(5, 0xffff)}}),
      lanes("v_cvt_pk_u8_f32",
            {{{200.0f, 1, 0x11223344}, 0x1122c844}, {{-4.0f, 3, 0x11223344}, 0x00223344}, {{1000.0f, 0, 0x11223344}, 0x112233ff}}),
  };
}

const MnemonicTable table("valu_convert", [] { return join({single(), half(), packed()}); });

} // namespace
} // namespace ds4::sim::test
