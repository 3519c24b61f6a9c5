// Scalar integer instructions, moves, compares and EXEC masks.
#include "runtime/providers/simulator/handlers/Scalars.h"

#include <algorithm>

namespace ds4::sim::DS4_SIM_ISA {

namespace {

using U32 = uint32_t;
using I32 = int32_t;
using U64 = uint64_t;
using I64 = int64_t;

template <class T> struct LogicNames {
  const char *andName, *orName, *xorName, *nandName, *norName, *xnorName, *andNot, *orNot, *notName, *mov, *cselect;
};

template <class T> void registerLogic(HandlerTable &t, const LogicNames<T> &n) {
  t.add(n.andName, scalar<[](Wave &, T a, T b) -> T { return a & b; }, Scc::NonZero>());
  t.add(n.orName, scalar<[](Wave &, T a, T b) -> T { return a | b; }, Scc::NonZero>());
  t.add(n.xorName, scalar<[](Wave &, T a, T b) -> T { return a ^ b; }, Scc::NonZero>());
  t.add(n.nandName, scalar<[](Wave &, T a, T b) -> T { return ~(a & b); }, Scc::NonZero>());
  t.add(n.norName, scalar<[](Wave &, T a, T b) -> T { return ~(a | b); }, Scc::NonZero>());
  t.add(n.xnorName, scalar<[](Wave &, T a, T b) -> T { return ~(a ^ b); }, Scc::NonZero>());
  t.add(n.andNot, scalar<[](Wave &, T a, T b) -> T { return a & ~b; }, Scc::NonZero>());
  t.add(n.orNot, scalar<[](Wave &, T a, T b) -> T { return a | ~b; }, Scc::NonZero>());
  t.add(n.notName, scalar<[](Wave &, T a) -> T { return ~a; }, Scc::NonZero>());
  t.add(n.mov, scalar<[](Wave &, T a) -> T { return a; }>());
  t.add(n.cselect, scalar<[](Wave &w, T a, T b) -> T { return w.scc() ? a : b; }>());
}

template <class T> void conditionalMove(Wave &wave, const Instruction &in) {
  if (wave.scc())
    writeScalar<T>(wave, in.dst, readScalar<T>(wave, in.src[0]));
}

void registerAdd(HandlerTable &t) {
  t.add("s_add_u32", scalar<[](Wave &w, U32 a, U32 b) -> U32 {
          w.setScc((U64(a) + b) >> 32);
          return a + b;
        }>());
  t.add("s_addc_u32", scalar<[](Wave &w, U32 a, U32 b) -> U32 {
          const U64 sum = U64(a) + b + w.scc();
          w.setScc(sum >> 32);
          return U32(sum);
        }>());
  t.add("s_sub_u32", scalar<[](Wave &w, U32 a, U32 b) -> U32 {
          w.setScc(b > a);
          return a - b;
        }>());
  t.add("s_subb_u32", scalar<[](Wave &w, U32 a, U32 b) -> U32 {
          const U64 difference = U64(a) - b - w.scc();
          w.setScc(difference >> 32);
          return U32(difference);
        }>());
  t.add("s_add_i32", scalar<[](Wave &w, I32 a, I32 b) -> I32 {
          I32 sum;
          w.setScc(__builtin_add_overflow(a, b, &sum));
          return sum;
        }>());
  t.add("s_sub_i32", scalar<[](Wave &w, I32 a, I32 b) -> I32 {
          I32 difference;
          w.setScc(__builtin_sub_overflow(a, b, &difference));
          return difference;
        }>());
  t.add("s_lshl1_add_u32", scalar<[](Wave &w, U32 a, U32 b) -> U32 {
          const U64 sum = (U64(a) << 1) + b;
          w.setScc(sum >> 32);
          return U32(sum);
        }>());
  t.add("s_lshl2_add_u32", scalar<[](Wave &w, U32 a, U32 b) -> U32 {
          const U64 sum = (U64(a) << 2) + b;
          w.setScc(sum >> 32);
          return U32(sum);
        }>());
  t.add("s_lshl3_add_u32", scalar<[](Wave &w, U32 a, U32 b) -> U32 {
          const U64 sum = (U64(a) << 3) + b;
          w.setScc(sum >> 32);
          return U32(sum);
        }>());
  t.add("s_lshl4_add_u32", scalar<[](Wave &w, U32 a, U32 b) -> U32 {
          const U64 sum = (U64(a) << 4) + b;
          w.setScc(sum >> 32);
          return U32(sum);
        }>());
  t.add("s_mul_i32", scalar<[](Wave &, U32 a, U32 b) -> U32 { return a * b; }>());
  t.add("s_mul_hi_u32", scalar<[](Wave &, U32 a, U32 b) -> U32 { return U32(U64(a) * b >> 32); }>());
  t.add("s_mul_hi_i32", scalar<[](Wave &, I32 a, I32 b) -> I32 { return I32(I64(a) * b >> 32); }>());
  t.add("s_absdiff_i32",
        scalar<[](Wave &, I32 a, I32 b) -> U32 { return U32(a > b ? U32(a) - U32(b) : U32(b) - U32(a)); }, Scc::NonZero>());
  t.add("s_abs_i32", scalar<[](Wave &, I32 a) -> U32 { return a < 0 ? 0u - U32(a) : U32(a); }, Scc::NonZero>());
  t.add("s_movk_i32", scalar<[](Wave &, U32 a) -> I32 { return int16_t(a); }>());
  t.add("s_addk_i32", scalar<[](Wave &w, U32 k, I32 d) -> I32 {
          I32 sum;
          w.setScc(__builtin_add_overflow(d, I32(int16_t(k)), &sum));
          return sum;
        }>(kAccumulates));
  t.add("s_mulk_i32", scalar<[](Wave &, U32 k, U32 d) -> U32 { return d * U32(I32(int16_t(k))); }>(kAccumulates));
  t.add("s_cmovk_i32", scalar<[](Wave &w, U32 k, I32 d) -> I32 { return w.scc() ? int16_t(k) : d; }>(kAccumulates));
}

void registerShiftAndSelect(HandlerTable &t) {
  t.add("s_lshl_b32", scalar<[](Wave &, U32 a, U32 b) -> U32 { return a << (b & 31); }, Scc::NonZero>());
  t.add("s_lshr_b32", scalar<[](Wave &, U32 a, U32 b) -> U32 { return a >> (b & 31); }, Scc::NonZero>());
  t.add("s_ashr_i32", scalar<[](Wave &, I32 a, U32 b) -> I32 { return a >> (b & 31); }, Scc::NonZero>());
  t.add("s_lshl_b64", scalar<[](Wave &, U64 a, U32 b) -> U64 { return a << (b & 63); }, Scc::NonZero>());
  t.add("s_lshr_b64", scalar<[](Wave &, U64 a, U32 b) -> U64 { return a >> (b & 63); }, Scc::NonZero>());
  t.add("s_ashr_i64", scalar<[](Wave &, I64 a, U32 b) -> I64 { return a >> (b & 63); }, Scc::NonZero>());
  t.add("s_min_u32", scalar<[](Wave &w, U32 a, U32 b) -> U32 {
          w.setScc(a < b);
          return std::min(a, b);
        }>());
  t.add("s_max_u32", scalar<[](Wave &w, U32 a, U32 b) -> U32 {
          w.setScc(a >= b);
          return std::max(a, b);
        }>());
  t.add("s_min_i32", scalar<[](Wave &w, I32 a, I32 b) -> I32 {
          w.setScc(a < b);
          return std::min(a, b);
        }>());
  t.add("s_max_i32", scalar<[](Wave &w, I32 a, I32 b) -> I32 {
          w.setScc(a >= b);
          return std::max(a, b);
        }>());
}

template <class T, bool Signed> inline T field(T x, U32 control) {
  constexpr U32 bits = sizeof(T) * 8;
  const U32 width = (control >> 16) & 127, offset = control & (bits - 1);
  if (!width)
    return 0;
  if constexpr (Signed)
    // bits above the top repeat the sign
    return width >= bits ? x >> offset : T(std::make_unsigned_t<T>(x >> offset) << (bits - width)) >> (bits - width);
  else
    return (x >> offset) & (width >= bits ? ~T(0) : (T(1) << width) - 1);
}

template <class T> inline T depositRepeated(T x) { // s_bitreplicate: each bit twice
  T result = 0;
  for (int k = 0; k < 32; k++)
    result |= ((x >> k) & 1) * T(3) << (2 * k);
  return result;
}

// s_quadmask: one bit for each group of four, set where any of the four is.
template <class T> inline T quadMask(T x) {
  T result = 0;
  for (unsigned k = 0; k < sizeof(T) * 2; k++)
    result |= T(((x >> (4 * k)) & 15) != 0) << k;
  return result;
}

// s_wqm: every group of four becomes all ones where any of the four is.
template <class T> inline T wholeQuads(T x) {
  T result = 0;
  for (unsigned k = 0; k < sizeof(T) * 2; k++)
    result |= ((x >> (4 * k)) & 15 ? T(15) : T(0)) << (4 * k);
  return result;
}

void registerBitOperations(HandlerTable &t) {
  t.add("s_bfe_u32", scalar<[](Wave &, U32 a, U32 b) -> U32 { return field<U32, false>(a, b); }, Scc::NonZero>());
  t.add("s_bfe_i32", scalar<[](Wave &, I32 a, U32 b) -> I32 { return field<I32, true>(a, b); }, Scc::NonZero>());
  t.add("s_bfe_u64", scalar<[](Wave &, U64 a, U32 b) -> U64 { return field<U64, false>(a, b); }, Scc::NonZero>());
  t.add("s_bfe_i64", scalar<[](Wave &, I64 a, U32 b) -> I64 { return field<I64, true>(a, b); }, Scc::NonZero>());
  t.add("s_bfm_b32", scalar<[](Wave &, U32 a, U32 b) -> U32 { return ((1u << (a & 31)) - 1) << (b & 31); }>());
  t.add("s_bfm_b64", scalar<[](Wave &, U32 a, U32 b) -> U64 { return ((U64(1) << (a & 63)) - 1) << (b & 63); }>());
  t.add("s_brev_b32", scalar<[](Wave &, U32 a) -> U32 { return __builtin_bitreverse32(a); }>());
  t.add("s_brev_b64", scalar<[](Wave &, U64 a) -> U64 { return __builtin_bitreverse64(a); }>());
  t.add("s_clz_i32_u32", scalar<[](Wave &, U32 a) -> U32 { return a ? __builtin_clz(a) : ~0u; }>());
  t.add("s_clz_i32_u64", scalar<[](Wave &, U64 a) -> U32 { return a ? __builtin_clzll(a) : ~0u; }>());
  t.add("s_cls_i32", scalar<[](Wave &, I32 a) -> U32 {
          const U32 x = U32(a ^ (a >> 31));
          return x ? __builtin_clz(x) : ~0u;
        }>());
  t.add("s_cls_i32_i64", scalar<[](Wave &, I64 a) -> U32 {
          const U64 x = U64(a ^ (a >> 63));
          return x ? __builtin_clzll(x) : ~0u;
        }>());
  t.add("s_ctz_i32_b32", scalar<[](Wave &, U32 a) -> U32 { return a ? __builtin_ctz(a) : ~0u; }>());
  t.add("s_ctz_i32_b64", scalar<[](Wave &, U64 a) -> U32 { return a ? __builtin_ctzll(a) : ~0u; }>());
  t.add("s_bcnt0_i32_b32", scalar<[](Wave &, U32 a) -> U32 { return 32 - __builtin_popcount(a); }, Scc::NonZero>());
  t.add("s_bcnt0_i32_b64", scalar<[](Wave &, U64 a) -> U32 { return 64 - __builtin_popcountll(a); }, Scc::NonZero>());
  t.add("s_bcnt1_i32_b32", scalar<[](Wave &, U32 a) -> U32 { return __builtin_popcount(a); }, Scc::NonZero>());
  t.add("s_bcnt1_i32_b64", scalar<[](Wave &, U64 a) -> U32 { return __builtin_popcountll(a); }, Scc::NonZero>());
  t.add("s_sext_i32_i8", scalar<[](Wave &, U32 a) -> I32 { return int8_t(a); }>());
  t.add("s_sext_i32_i16", scalar<[](Wave &, U32 a) -> I32 { return int16_t(a); }>());
  t.add("s_pack_ll_b32_b16", scalar<[](Wave &, U32 a, U32 b) -> U32 { return (a & 0xffff) | b << 16; }>());
  t.add("s_pack_lh_b32_b16", scalar<[](Wave &, U32 a, U32 b) -> U32 { return (a & 0xffff) | (b & 0xffff0000u); }>());
  t.add("s_pack_hh_b32_b16", scalar<[](Wave &, U32 a, U32 b) -> U32 { return a >> 16 | (b & 0xffff0000u); }>());
  t.add("s_pack_hl_b32_b16", scalar<[](Wave &, U32 a, U32 b) -> U32 { return a >> 16 | b << 16; }>());
  t.add("s_bitreplicate_b64_b32", scalar<[](Wave &, U32 a) -> U64 { return depositRepeated<U64>(a); }>());
  t.add("s_quadmask_b32", scalar<[](Wave &, U32 a) -> U32 { return quadMask(a); }, Scc::NonZero>());
  t.add("s_quadmask_b64", scalar<[](Wave &, U64 a) -> U64 { return quadMask(a); }, Scc::NonZero>());
  t.add("s_wqm_b32", scalar<[](Wave &, U32 a) -> U32 { return wholeQuads(a); }, Scc::NonZero>());
  t.add("s_wqm_b64", scalar<[](Wave &, U64 a) -> U64 { return wholeQuads(a); }, Scc::NonZero>());
  t.add("s_bitset0_b32", scalar<[](Wave &, U32 bit, U32 d) -> U32 { return d & ~(1u << (bit & 31)); }>(kAccumulates));
  t.add("s_bitset1_b32", scalar<[](Wave &, U32 bit, U32 d) -> U32 { return d | 1u << (bit & 31); }>(kAccumulates));
  t.add("s_bitset0_b64", scalar<[](Wave &, U32 bit, U64 d) -> U64 { return d & ~(U64(1) << (bit & 63)); }>(kAccumulates));
  t.add("s_bitset1_b64", scalar<[](Wave &, U32 bit, U64 d) -> U64 { return d | U64(1) << (bit & 63); }>(kAccumulates));
}

template <auto F, class A, class B> inline void runCompare(Wave &wave, const Instruction &in, bool (*)(A, B)) {
  wave.setScc(F(readScalar<A>(wave, in.src[0]), readScalar<B>(wave, in.src[1])));
}
template <auto F> void compareHandler(Wave &wave, const Instruction &in) { runCompare<F>(wave, in, +F); }
template <auto F> HandlerInfo compare() { return {compareHandler<F>, "UUU", kNoDestination}; }

// B is the second operand as its field holds it: int16_t for signed immediates.
template <class A, class B = A> void registerCompares(HandlerTable &t, const char *const (&names)[6]) {
  t.add(names[0], compare<[](A a, B b) -> bool { return a == b; }>());
  t.add(names[1], compare<[](A a, B b) -> bool { return a != b; }>());
  t.add(names[2], compare<[](A a, B b) -> bool { return a > b; }>());
  t.add(names[3], compare<[](A a, B b) -> bool { return a >= b; }>());
  t.add(names[4], compare<[](A a, B b) -> bool { return a < b; }>());
  t.add(names[5], compare<[](A a, B b) -> bool { return a <= b; }>());
}

void registerScalarCompares(HandlerTable &t) {
  registerCompares<U32>(t, {"s_cmp_eq_u32", "s_cmp_lg_u32", "s_cmp_gt_u32", "s_cmp_ge_u32", "s_cmp_lt_u32", "s_cmp_le_u32"});
  registerCompares<I32>(t, {"s_cmp_eq_i32", "s_cmp_lg_i32", "s_cmp_gt_i32", "s_cmp_ge_i32", "s_cmp_lt_i32", "s_cmp_le_i32"});
  registerCompares<U32>(t, {"s_cmpk_eq_u32", "s_cmpk_lg_u32", "s_cmpk_gt_u32", "s_cmpk_ge_u32", "s_cmpk_lt_u32", "s_cmpk_le_u32"});
  registerCompares<I32, int16_t>(
      t, {"s_cmpk_eq_i32", "s_cmpk_lg_i32", "s_cmpk_gt_i32", "s_cmpk_ge_i32", "s_cmpk_lt_i32", "s_cmpk_le_i32"});
  t.add("s_cmp_eq_u64", compare<[](U64 a, U64 b) -> bool { return a == b; }>());
  t.add("s_cmp_lg_u64", compare<[](U64 a, U64 b) -> bool { return a != b; }>());
  t.add("s_bitcmp0_b32", compare<[](U32 a, U32 b) -> bool { return !((a >> (b & 31)) & 1); }>());
  t.add("s_bitcmp1_b32", compare<[](U32 a, U32 b) -> bool { return (a >> (b & 31)) & 1; }>());
  t.add("s_bitcmp0_b64", compare<[](U64 a, U32 b) -> bool { return !((a >> (b & 63)) & 1); }>());
  t.add("s_bitcmp1_b64", compare<[](U64 a, U32 b) -> bool { return (a >> (b & 63)) & 1; }>());
}

// dst = old EXEC; EXEC = F(source, old EXEC). With Write, dst takes the new EXEC instead (s_*_wrexec).
template <auto F, bool Write> void execHandler(Wave &wave, const Instruction &in) {
  const U32 source = readScalar<U32>(wave, in.src[0]), old = wave.exec();
  wave.s[kExec] = F(source, old);
  wave.setScalar(in.dst.reg, Write ? wave.exec() : old);
  wave.setScc(wave.exec() != 0);
}
template <auto F, bool Write = false> HandlerInfo saveExec() { return {execHandler<F, Write>, "UU", 0}; }

void registerExecMasks(HandlerTable &t) {
  t.add("s_and_saveexec_b32", saveExec<[](U32 s, U32 x) { return s & x; }>());
  t.add("s_or_saveexec_b32", saveExec<[](U32 s, U32 x) { return s | x; }>());
  t.add("s_xor_saveexec_b32", saveExec<[](U32 s, U32 x) { return s ^ x; }>());
  t.add("s_nand_saveexec_b32", saveExec<[](U32 s, U32 x) { return ~(s & x); }>());
  t.add("s_nor_saveexec_b32", saveExec<[](U32 s, U32 x) { return ~(s | x); }>());
  t.add("s_xnor_saveexec_b32", saveExec<[](U32 s, U32 x) { return ~(s ^ x); }>());
  t.add("s_and_not0_saveexec_b32", saveExec<[](U32 s, U32 x) { return ~s & x; }>());
  t.add("s_or_not0_saveexec_b32", saveExec<[](U32 s, U32 x) { return ~s | x; }>());
  t.add("s_and_not1_saveexec_b32", saveExec<[](U32 s, U32 x) { return s & ~x; }>());
  t.add("s_or_not1_saveexec_b32", saveExec<[](U32 s, U32 x) { return s | ~x; }>());
  t.add("s_and_not0_wrexec_b32", saveExec<[](U32 s, U32 x) { return ~s & x; }, true>());
  t.add("s_and_not1_wrexec_b32", saveExec<[](U32 s, U32 x) { return s & ~x; }, true>());
}

} // namespace

void registerSalu(HandlerTable &t) {
  registerLogic<U32>(t, {"s_and_b32", "s_or_b32", "s_xor_b32", "s_nand_b32", "s_nor_b32", "s_xnor_b32", "s_and_not1_b32",
                         "s_or_not1_b32", "s_not_b32", "s_mov_b32", "s_cselect_b32"});
  registerLogic<U64>(t, {"s_and_b64", "s_or_b64", "s_xor_b64", "s_nand_b64", "s_nor_b64", "s_xnor_b64", "s_and_not1_b64",
                         "s_or_not1_b64", "s_not_b64", "s_mov_b64", "s_cselect_b64"});
  t.add("s_cmov_b32", {conditionalMove<U32>, "UU", 0});
  t.add("s_cmov_b64", {conditionalMove<U64>, "LL", 0});
  registerAdd(t);
  registerShiftAndSelect(t);
  registerBitOperations(t);
  registerScalarCompares(t);
  registerExecMasks(t);
}

} // namespace ds4::sim::DS4_SIM_ISA
