// Scalar integer instructions, with what they leave in SCC.
#include "tests/simulator/MnemonicTable.h"

namespace ds4::sim::test {
namespace {

constexpr uint32_t kMin = 0x80000000, kMax = 0x7fffffff, kOnes = ~0u;
constexpr uint64_t kMin64 = 1ull << 63, kOnes64 = ~0ull;

Rows logic() {
  const uint32_t a = 0xff00ff00, b = 0x0ff00ff0;
  const uint64_t wide = 0xff00ff000000000full, mask = 0x0ff00ff0000000f1ull;
  return {
      scalars("s_mov_b32", {{{a}, a}}),
      scalars("s_mov_b64", {{{wide}, wide}}),
      scalars("s_and_b32", {{{a, b}, a & b, true}, {{0xf0, 0x0f}, 0, false}}),
      scalars("s_or_b32", {{{a, b}, a | b, true}, {{0, 0}, 0, false}}),
      scalars("s_xor_b32", {{{a, b}, a ^ b, true}, {{a, a}, 0, false}}),
      scalars("s_nand_b32", {{{a, b}, ~(a & b), true}, {{kOnes, kOnes}, 0, false}}),
      scalars("s_nor_b32", {{{a, b}, ~(a | b), true}, {{kOnes, 0}, 0, false}}),
      scalars("s_xnor_b32", {{{a, b}, ~(a ^ b), true}, {{a, ~a}, 0, false}}),
      scalars("s_and_not1_b32", {{{a, b}, a & ~b, true}, {{a, a}, 0, false}}),
      scalars("s_or_not1_b32", {{{a, b}, a | ~b, true}, {{0, kOnes}, 0, false}}),
      scalars("s_not_b32", {{{a}, ~a, true}, {{kOnes}, 0, false}}),
      scalars("s_and_b64", {{{wide, mask}, wide & mask, true}, {{kMin64, 1ull}, 0ull, false}}),
      scalars("s_or_b64", {{{wide, mask}, wide | mask, true}, {{0ull, 0ull}, 0ull, false}}),
      scalars("s_xor_b64", {{{wide, mask}, wide ^ mask, true}, {{wide, wide}, 0ull, false}}),
      scalars("s_nand_b64", {{{wide, mask}, ~(wide & mask), true}, {{kOnes64, kOnes64}, 0ull, false}}),
      scalars("s_nor_b64", {{{wide, mask}, ~(wide | mask), true}, {{kOnes64, 0ull}, 0ull, false}}),
      scalars("s_xnor_b64", {{{wide, mask}, ~(wide ^ mask), true}, {{wide, ~wide}, 0ull, false}}),
      scalars("s_and_not1_b64", {{{wide, mask}, wide & ~mask, true}, {{wide, wide}, 0ull, false}}),
      scalars("s_or_not1_b64", {{{wide, mask}, wide | ~mask, true}, {{0ull, kOnes64}, 0ull, false}}),
      scalars("s_not_b64", {{{wide}, ~wide, true}, {{kOnes64}, 0ull, false}}),
      scalars("s_cselect_b32", {{{5, 7}, 5, true, true}, {{5, 7}, 7, false, false}}),
      scalars("s_cselect_b64", {{{wide, mask}, wide, true, true}, {{wide, mask}, mask, false, false}}),
      scalars("s_mov_b32 {d}, {1}\n s_cmov_b32 {d}, {0}", {{{5, 7}, 5, true, true}, {{5, 7}, 7, false, false}}),
      scalars("s_mov_b64 {d}, {1}\n s_cmov_b64 {d}, {0}", {{{wide, mask}, wide, true, true}, {{wide, mask}, mask, false, false}}),
      scalars("s_mov_b32 {d}, {0}\n s_cmovk_i32 {d}, 0xfff0", {{{7}, 0xfffffff0, true, true}, {{7}, 7, false, false}}),
  };
}

Rows arithmetic() {
  return {
      scalars("s_add_u32", {{{3, 4}, 7, false}, {{kOnes, 2}, 1, true}}),
      scalars(
          "s_addc_u32",
          {{{3, 4}, 7, false, false}, {{3, 4}, 8, false, true}, {{kOnes, 0}, 0, true, true}, {{kOnes, kOnes}, kOnes, true, true}}),
      scalars("s_sub_u32", {{{3, 4}, kOnes, true}, {{4, 4}, 0, false}}),
      scalars("s_subb_u32", {{{4, 4}, 0, false, false}, {{4, 4}, kOnes, true, true}, {{0, kOnes}, 0, true, true}}),
      scalars("s_add_i32", {{{kMax, 1}, kMin, true}, {{kOnes, 1}, 0, false}, {{kMin, kOnes}, kMax, true}}),
      scalars("s_sub_i32", {{{kMin, 1}, kMax, true}, {{3, 4}, kOnes, false}}),
      scalars("s_lshl1_add_u32", {{{3, 4}, 10, false}, {{kMin, 4}, 4, true}}),
      scalars("s_lshl2_add_u32", {{{3, 4}, 16, false}, {{0x40000000, 4}, 4, true}}),
      scalars("s_lshl3_add_u32", {{{3, 4}, 28, false}, {{0x20000000, 4}, 4, true}}),
      scalars("s_lshl4_add_u32", {{{3, 4}, 52, false}, {{0x10000000, 4}, 4, true}}),
      scalars("s_mul_i32", {{{0x10001, 0x10001}, 0x20001}, {{-3, 4}, -12}}),
      scalars("s_mul_hi_u32", {{{kOnes, kOnes}, 0xfffffffe}}),
      scalars("s_mul_hi_i32", {{{kOnes, 5}, kOnes}, {{kMin, kMin}, 0x40000000}}),
      scalars("s_abs_i32", {{{-5}, 5, true}, {{0}, 0, false}, {{kMin}, kMin, true}}),
      scalars("s_absdiff_i32", {{{3, 10}, 7, true}, {{-3, 10}, 13, true}, {{4, 4}, 0, false}}),
      scalars("s_min_i32", {{{-1, 1}, -1, true}, {{1, -1}, -1, false}, {{4, 4}, 4, false}}),
      scalars("s_min_u32", {{{-1, 1}, 1, false}, {{1, -1}, 1, true}, {{4, 4}, 4, false}}),
      scalars("s_max_i32", {{{-1, 1}, 1, false}, {{1, -1}, 1, true}}), // sources differ on what equal operands leave in SCC
      scalars("s_max_u32", {{{-1, 1}, kOnes, true}, {{1, -1}, kOnes, false}}),
      scalars("s_movk_i32 {d}, 0x8000", {{{}, 0xffff8000}}),
      scalars("s_mov_b32 {d}, {0}\n s_addk_i32 {d}, 0xfffe", {{{5}, 3, false}, {{kMin}, 0x7ffffffe, true}}),
      scalars("s_mov_b32 {d}, {0}\n s_mulk_i32 {d}, 0xfffe", {{{5}, -10}}),
  };
}

Rows bits() {
  return {
      scalars("s_lshl_b32", {{{1, 31}, kMin, true}, {{1, 32}, 1, true}, {{kMin, 1}, 0, false}}),
      scalars("s_lshr_b32", {{{kMin, 31}, 1, true}, {{2, 33}, 1, true}, {{1, 1}, 0, false}}),
      scalars("s_ashr_i32", {{{kMin, 31}, kOnes, true}, {{1, 1}, 0, false}}),
      scalars("s_lshl_b64", {{{1ull, 63}, kMin64, true}, {{1ull, 64}, 1ull, true}, {{kMin64, 1}, 0ull, false}}),
      scalars("s_lshr_b64", {{{kMin64, 63}, 1ull, true}, {{1ull, 1}, 0ull, false}}),
      scalars("s_ashr_i64", {{{kMin64, 63}, kOnes64, true}, {{1ull, 1}, 0ull, false}}),
      // Field extraction: offset in bits 0.., width in bits 16..22.
      scalars("s_bfe_u32",
              {{{0x12345678, 0x00080008}, 0x56, true}, {{kOnes, 0x00000004}, 0, false}, {{0xf0000000, 0x0020001c}, 0xf, true}}),
      scalars("s_bfe_i32", {{{0x1234f678, 0x0004000c}, kOnes, true}, {{0x12347678, 0x0004000c}, 7, true}, {{kOnes, 4}, 0, false}}),
      scalars("s_bfe_u64", {{{0x123456789abcdef0ull, 0x0010001c}, 0x6789ull, true},
                            {{kOnes64, 5}, 0ull, false},
                            {{kOnes64, 0x00400000}, kOnes64, true}}),
      scalars("s_bfe_i64",
              {{{0x00000f0000000000ull, 0x00040028}, kOnes64, true}, {{0x0000070000000000ull, 0x00040028}, 7ull, true}}),
      scalars("s_bfm_b32", {{{4, 8}, 0xf00}, {{0, 3}, 0}, {{36, 40}, 0xf00}}),
      scalars("s_bfm_b64", {{{4, 40}, 0xf0000000000ull}}),
      scalars("s_brev_b32", {{{0x12345678}, 0x1e6a2c48}}),
      scalars("s_brev_b64", {{{1ull}, kMin64}, {{0x12345678ull}, 0x1e6a2c4800000000ull}}),
      scalars("s_clz_i32_u32", {{{0}, kOnes}, {{1}, 31}, {{kMin}, 0}}),
      scalars("s_clz_i32_u64", {{{0ull}, kOnes}, {{1ull}, 63}, {{kMin64}, 0}}),
      scalars("s_cls_i32", {{{0}, kOnes}, {{kOnes}, kOnes}, {{1}, 31}, {{kMin}, 1}, {{0xfffffffe}, 31}}),
      scalars("s_cls_i32_i64", {{{0ull}, kOnes}, {{1ull}, 63}, {{kMin64}, 1}}),
      scalars("s_ctz_i32_b32", {{{0}, kOnes}, {{8}, 3}, {{kMin}, 31}}),
      scalars("s_ctz_i32_b64", {{{0ull}, kOnes}, {{1ull << 40}, 40}}),
      scalars("s_bcnt0_i32_b32", {{{0xff}, 24, true}, {{kOnes}, 0, false}}),
      scalars("s_bcnt0_i32_b64", {{{0xffull}, 56, true}, {{kOnes64}, 0, false}}),
      scalars("s_bcnt1_i32_b32", {{{0xff}, 8, true}, {{0}, 0, false}}),
      scalars("s_bcnt1_i32_b64", {{{kOnes64}, 64, true}, {{0ull}, 0, false}}),
      scalars("s_sext_i32_i8", {{{0x1280}, 0xffffff80}, {{0x127f}, 0x7f}}),
      scalars("s_sext_i32_i16", {{{0x128000}, 0xffff8000}, {{0x127fff}, 0x7fff}}),
      scalars("s_pack_ll_b32_b16", {{{0x11112222, 0x33334444}, 0x44442222}}),
      scalars("s_pack_lh_b32_b16", {{{0x11112222, 0x33334444}, 0x33332222}}),
      scalars("s_pack_hh_b32_b16", {{{0x11112222, 0x33334444}, 0x33331111}}),
      scalars("s_pack_hl_b32_b16", {{{0x11112222, 0x33334444}, 0x44441111}}),
      scalars("s_bitreplicate_b64_b32", {{{0x80000005}, 0xc000000000000033ull}}),
      scalars("s_quadmask_b32", {{{0x10f00002}, 0xa1, true}, {{0}, 0, false}}),
      scalars("s_quadmask_b64", {{{0x1000000000000002ull}, 0x8001ull, true}, {{0ull}, 0ull, false}}),
      scalars("s_wqm_b32", {{{0x10f00002}, 0xf0f0000f, true}, {{0}, 0, false}}),
      scalars("s_wqm_b64", {{{0x1000000000000002ull}, 0xf00000000000000full, true}, {{0ull}, 0ull, false}}),
      scalars("s_mov_b32 {d}, {1}\n s_bitset0_b32 {d}, {0}", {{{35, kOnes}, 0xfffffff7}}),
      scalars("s_mov_b32 {d}, {1}\n s_bitset1_b32 {d}, {0}", {{{35, 1}, 9}}),
      scalars("s_mov_b64 {d}, {1}\n s_bitset0_b64 {d}, {0}", {{{99, kOnes64}, ~(1ull << 35)}}),
      scalars("s_mov_b64 {d}, {1}\n s_bitset1_b64 {d}, {0}", {{{99, 1ull}, 1ull | 1ull << 35}}),
  };
}

// Both operands in registers; SCC takes the relation.
Row compare(const std::string &mnemonic, uint64_t a, uint64_t b, bool wide, bool holds) {
  Row row = wave(
      mnemonic + (wide ? " s[0:1], s[2:3]" : " s0, s2"),
      [=](State &s) {
        s.setS64(0, a);
        s.setS64(2, b);
        s.scc = !holds;
      },
      [=](State &s) { s.scc = holds; });
  return row;
}

Rows compares() {
  Rows rows;
  for (const std::string type : {"i32", "u32"}) {
    const bool isSigned = type == "i32";
    for (auto [a, b] : {std::pair{1u, 2u}, std::pair{7u, 7u}, std::pair{kOnes, 1u}}) {
      const bool less = isSigned ? int32_t(a) < int32_t(b) : a < b;
      rows.push_back(compare("s_cmp_eq_" + type, a, b, false, a == b));
      rows.push_back(compare("s_cmp_lg_" + type, a, b, false, a != b));
      rows.push_back(compare("s_cmp_lt_" + type, a, b, false, less));
      rows.push_back(compare("s_cmp_le_" + type, a, b, false, less || a == b));
      rows.push_back(compare("s_cmp_gt_" + type, a, b, false, !less && a != b));
      rows.push_back(compare("s_cmp_ge_" + type, a, b, false, !less));
    }
    // The 16-bit immediate is sign- or zero-extended.
    for (uint32_t a : {0u, 0xffffu, 0xffffffffu}) {
      const int64_t k = isSigned ? -1 : 0xffff, x = isSigned ? int64_t(int32_t(a)) : int64_t(a);
      auto immediate = [&](const std::string &relation, bool holds) {
        rows.push_back(wave(
            "s_cmpk_" + relation + "_" + type + " s0, 0xffff",
            [=](State &s) {
              s.s[0] = a;
              s.scc = !holds;
            },
            [=](State &s) { s.scc = holds; }));
      };
      immediate("eq", x == k);
      immediate("lg", x != k);
      immediate("lt", x < k);
      immediate("le", x <= k);
      immediate("gt", x > k);
      immediate("ge", x >= k);
    }
  }
  for (auto [a, b] : {std::pair{1ull << 40, 1ull << 40}, std::pair{1ull << 40, 1ull << 41}}) {
    rows.push_back(compare("s_cmp_eq_u64", a, b, true, a == b));
    rows.push_back(compare("s_cmp_lg_u64", a, b, true, a != b));
  }
  for (auto [bit, set] : {std::pair{3u, true}, std::pair{36u, false}}) {
    rows.push_back(compare("s_bitcmp1_b32", 8, bit, false, set));
    rows.push_back(compare("s_bitcmp0_b32", 8, bit, false, !set));
  }
  for (auto [bit, set] : {std::pair{35u, true}, std::pair{3u, false}, std::pair{99u, true}})
    for (bool wanted : {false, true}) {
      const bool holds = set == wanted;
      rows.push_back(wave(
          std::string(wanted ? "s_bitcmp1_b64" : "s_bitcmp0_b64") + " s[0:1], s2",
          [=](State &s) {
            s.setS64(0, 1ull << 35);
            s.s[2] = bit;
            s.scc = !holds;
          },
          [=](State &s) { s.scc = holds; }));
    }
  return rows;
}

// s8 takes the old EXEC, the wrexec forms the new one.
Rows execMasks() {
  Rows rows;
  auto add = [&](const std::string &name, auto f, bool writesNew) {
    for (auto [source, exec] :
         {std::pair{0xff00ff0fu, 0x0ff00ff0u}, std::pair{0u, kOnes}, std::pair{kOnes, kOnes}, std::pair{kOnes, 0u}})
      rows.push_back(wave(
          "s_" + name + "_b32 s8, s0",
          [=](State &s) {
            s.s[0] = source;
            s.exec = exec;
            s.scc = !f(source, exec);
          },
          [=](State &s) {
            const uint32_t old = s.exec;
            s.exec = f(s.s[0], old);
            s.s[8] = writesNew ? s.exec : old;
            s.scc = s.exec != 0;
          }));
  };
  using U = uint32_t;
  add("and_saveexec", [](U s, U x) { return s & x; }, false);
  add("or_saveexec", [](U s, U x) { return s | x; }, false);
  add("xor_saveexec", [](U s, U x) { return s ^ x; }, false);
  add("nand_saveexec", [](U s, U x) { return ~(s & x); }, false);
  add("nor_saveexec", [](U s, U x) { return ~(s | x); }, false);
  add("xnor_saveexec", [](U s, U x) { return ~(s ^ x); }, false);
  add("and_not0_saveexec", [](U s, U x) { return ~s & x; }, false);
  add("or_not0_saveexec", [](U s, U x) { return ~s | x; }, false);
  add("and_not1_saveexec", [](U s, U x) { return s & ~x; }, false);
  add("or_not1_saveexec", [](U s, U x) { return s | ~x; }, false);
  add("and_not0_wrexec", [](U s, U x) { return ~s & x; }, true);
  add("and_not1_wrexec", [](U s, U x) { return s & ~x; }, true);
  return rows;
}

// Special scalar operands.
Rows operands() {
  return {
      wave(
          "s_add_u32 null, s0, s2",
          [](State &s) {
            s.s[0] = kOnes;
            s.s[2] = 1;
            s.scc = 0;
          },
          [](State &s) { s.scc = 1; }),
      wave(
          "s_mov_b32 s8, null", [](State &) {}, [](State &s) { s.s[8] = 0; }),
      wave(
          "s_mov_b32 s8, vcc_lo", [](State &) {}, [](State &s) { s.s[8] = s.vcc; }),
      wave(
          "s_mov_b32 s8, exec_lo", [](State &s) { s.exec = 0x1234; }, [](State &s) { s.s[8] = s.exec; }),
      wave(
          "s_mov_b32 s8, m0", [](State &) {}, [](State &s) { s.s[8] = s.m0; }),
      wave(
          "s_mov_b32 m0, 7", [](State &) {}, [](State &s) { s.m0 = 7; }),
      wave(
          "s_mov_b32 s8, src_scc", [](State &s) { s.scc = 1; }, [](State &s) { s.s[8] = 1; }),
      wave(
          "s_mov_b32 s8, 0.5", [](State &) {}, [](State &s) { s.s[8] = 0x3f000000; }),
      wave(
          "s_mov_b64 s[8:9], -1", [](State &) {}, [](State &s) { s.setS64(8, kOnes64); }),
      wave(
          "s_mov_b64 s[8:9], 0xdeadbeef", [](State &) {}, [](State &s) { s.setS64(8, 0xdeadbeef); }),
  };
}

const MnemonicTable table("salu_integer", [] { return join({logic(), arithmetic(), bits(), execMasks(), operands()}); });
const MnemonicTable compareTable("s_cmp_integer", [] { return compares(); });

} // namespace
} // namespace ds4::sim::test
