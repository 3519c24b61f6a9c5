// Scalar f32 and f16, which RDNA 3.5 added: the vector instructions' rules on one value.
#include <limits>

#include "tests/simulator/MnemonicTable.h"

namespace ds4::sim::test {
namespace {

const float kInf = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();

Rows single() {
  return {
      scalars("s_add_f32",
              {{{1.5f, 2.25f}, 3.75f}, {{-0.0f, -0.0f}, -0.0f}, {{kInf, -kInf}, kNan}, {{0x1p-149f, 0x1p-149f}, 0x1p-148f}}),
      scalars("s_sub_f32", {{{1.5f, 2.25f}, -0.75f}}),
      scalars("s_mul_f32", {{{1.5f, -2.0f}, -3.0f}, {{0x1p-100f, 0x1p-49f}, 0x1p-149f}, {{0.0f, kInf}, kNan}}),
      scalars("s_max_f32", {{{1.0f, 2.0f}, 2.0f}, {{-0.0f, 0.0f}, 0.0f}, {{kNan, -1.0f}, -1.0f}}),
      scalars("s_min_f32", {{{1.0f, 2.0f}, 1.0f}, {{0.0f, -0.0f}, -0.0f}, {{3.0f, kNan}, 3.0f}}),
      scalars("s_fmaak_f32 {d}, {0}, {1}, 0x41200000", {{{2.0f, 3.0f}, 16.0f}}),
      scalars("s_fmamk_f32 {d}, {0}, 0x41200000, {1}", {{{2.0f, 3.0f}, 23.0f}}),
      scalars("s_mov_b32 {d}, {2}\n s_fmac_f32 {d}, {0}, {1}",
              {{{2.0f, 3.0f, 4.0f}, 10.0f}, {{0x1.000002p0f, 0x1.000002p0f, -0x1.000004p0f}, 0x1p-46f}}),
      scalars("s_trunc_f32", {{{1.75f}, 1.0f}, {{-0.5f}, -0.0f}}),
      scalars("s_ceil_f32", {{{1.25f}, 2.0f}, {{-1.25f}, -1.0f}}),
      scalars("s_floor_f32", {{{1.75f}, 1.0f}, {{-1.25f}, -2.0f}}),
      scalars("s_rndne_f32", {{{0.5f}, 0.0f}, {{1.5f}, 2.0f}, {{2.5f}, 2.0f}}),
      scalars("s_cvt_f32_i32", {{{-7}, -7.0f}, {{0x1000001}, 0x1p24f}}),
      scalars("s_cvt_f32_u32", {{{-1}, 0x1p32f}}),
      scalars("s_cvt_i32_f32", {{{-1.9f}, -1}, {{0x1p40f}, 0x7fffffff}, {{kNan}, 0}}),
      scalars("s_cvt_u32_f32", {{{1.9f}, 1}, {{-1.0f}, 0}, {{0x1p40f}, 0xffffffff}}),
      scalars("s_cvt_f32_f16", {{{packHalves(1.5f, 9)}, 1.5f}, {{packHalves(0x1p-24f, 9)}, 0x1p-24f}}),
      scalars("s_cvt_hi_f32_f16", {{{packHalves(9, 1.5f)}, 1.5f}}),
      scalars("s_cvt_f16_f32", {{{1.5f}, h(1.5f)}, {{65520.0f}, h(kInf)}, {{1.0f + 0x1p-11f}, h(1)}}),
      scalars("s_cvt_pk_rtz_f16_f32", {{{1.0f + 0x1.ffcp-11f, -65519.0f}, packHalves(1, -65504)}}),
  };
}

Rows half() {
  return {
      scalars("s_add_f16", {{{h(1.5f), h(2.25f)}, h(3.75f)}, {{h(2048), h(1)}, h(2048)}}),
      scalars("s_sub_f16", {{{h(1.5f), h(2.25f)}, h(-0.75f)}}),
      scalars("s_mul_f16", {{{h(1.5f), h(-2)}, h(-3)}, {{h(256), h(256)}, h(kInf)}}),
      scalars("s_max_f16", {{{h(1), h(2)}, h(2)}, {{h(kNan), h(-1)}, h(-1)}}),
      scalars("s_min_f16", {{{h(1), h(2)}, h(1)}, {{h(0.0f), h(-0.0f)}, h(-0.0f)}}),
      scalars("s_mov_b32 {d}, {2}\n s_fmac_f16 {d}, {0}, {1}",
              {{{h(2), h(3), h(4)}, h(10)}, {{h(1 + 0x1p-10f), h(1 + 0x1p-10f), h(-(1 + 0x1p-9f))}, h(0x1p-20f)}}),
      scalars("s_trunc_f16", {{{h(-1.75f)}, h(-1)}}),
      scalars("s_ceil_f16", {{{h(1.25f)}, h(2)}}),
      scalars("s_floor_f16", {{{h(-1.25f)}, h(-2)}}),
      scalars("s_rndne_f16", {{{h(2.5f)}, h(2)}, {{h(1.5f)}, h(2)}}),
  };
}

enum Relation : unsigned { Less = 1, Equal = 2, Greater = 4, Unordered = 8 };

Rows compares() {
  const std::pair<const char *, unsigned> predicates[] = {{"lt", Less},
                                                          {"eq", Equal},
                                                          {"le", Less | Equal},
                                                          {"gt", Greater},
                                                          {"lg", Less | Greater},
                                                          {"ge", Greater | Equal},
                                                          {"o", Less | Equal | Greater},
                                                          {"u", Unordered},
                                                          {"nge", Less | Unordered},
                                                          {"nlg", Equal | Unordered},
                                                          {"ngt", Less | Equal | Unordered},
                                                          {"nle", Greater | Unordered},
                                                          {"neq", Less | Greater | Unordered},
                                                          {"nlt", Equal | Greater | Unordered}};
  const struct {
    float a, b;
    Relation relation;
  } pairs[] = {{1, 2, Less}, {-0.0f, 0.0f, Equal}, {1, -kInf, Greater}, {kNan, 1, Unordered}, {1, kNan, Unordered}};
  Rows rows;
  for (auto [name, holdsFor] : predicates)
    for (auto [a, b, relation] : pairs)
      for (bool isHalf : {false, true}) {
        const bool holds = holdsFor & relation;
        const Value x = isHalf ? h(a) : Value(a), y = isHalf ? h(b) : Value(b);
        rows.push_back(wave(
            std::string("s_cmp_") + name + (isHalf ? "_f16" : "_f32") + " s0, s2",
            [=](State &s) {
              s.s[0] = uint32_t(x.bits);
              s.s[2] = uint32_t(y.bits);
              s.scc = !holds;
            },
            [=](State &s) { s.scc = holds; }));
      }
  return rows;
}

const MnemonicTable table("salu_float", [] { return join({single(), half()}); });
const MnemonicTable compareTable("s_cmp_float", [] { return compares(); });

} // namespace
} // namespace ds4::sim::test
