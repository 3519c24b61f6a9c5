// 16- and 32-bit integer and bit operations.
#include "runtime/providers/simulator/handlers/Numerics.h"

#include <algorithm>

namespace ds4::sim::DS4_SIM_ISA {

namespace {

using U8 = uint8_t;
using U16 = uint16_t;
using I16 = int16_t;
using U32 = uint32_t;
using I32 = int32_t;
using U64 = uint64_t;
using I64 = int64_t;

inline U32 low24(U32 x) { return x & 0xffffff; }
inline I32 signed24(U32 x) { return I32(x << 8) >> 8; }

inline U32 fieldUnsigned(U32 x, U32 offset, U32 width) { return (x >> (offset & 31)) & ((1u << (width & 31)) - 1); }

inline I32 fieldSigned(U32 x, U32 offset, U32 width) {
  const U32 n = width & 31, moved = x >> (offset & 31);
  return n ? I32(moved << (32 - n)) >> (32 - n) : 0;
}

// v_perm_b32: each selector byte picks one of the 8 source bytes, a replicated sign, 0x00 or 0xff.
inline U32 permuteBytes(U32 high, U32 low, U32 selectors) {
  const U64 bytes = U64(high) << 32 | low;
  U32 result = 0;
  for (int k = 0; k < 4; k++) {
    const U32 selector = (selectors >> (8 * k)) & 0xff;
    const U32 signBit = U32(bytes >> (((selector & 3) * 2 + 1) * 8 + 7)) & 1;
    const U32 byte = selector >= 13   ? 0xff
                     : selector == 12 ? 0
                     : selector >= 8  ? signBit * 0xff
                                      : U32(bytes >> (8 * (selector & 7))) & 0xff;
    result |= byte << (8 * k);
  }
  return result;
}

template <int Bits> inline U32 sumOfDifferences(U32 a, U32 b) {
  constexpr U32 mask = Bits == 8 ? 0xff : 0xffff;
  U32 sum = 0;
  for (int k = 0; k < 32; k += Bits) {
    const U32 x = (a >> k) & mask, y = (b >> k) & mask;
    sum += x > y ? x - y : y - x;
  }
  return sum;
}

// v_msad_u8: bytes whose reference is 0 do not count.
inline U32 maskedDifferences(U32 a, U32 reference, U32 sum) {
  for (int k = 0; k < 32; k += 8) {
    const U32 x = (a >> k) & 0xff, y = (reference >> k) & 0xff;
    sum += y == 0 ? 0 : x > y ? x - y : y - x;
  }
  return sum;
}

inline U32 leadingZeros(U32 x) { return x ? U32(__builtin_clz(x)) : ~0u; }
inline U32 trailingZeros(U32 x) { return x ? U32(__builtin_ctz(x)) : ~0u; }

template <class T> inline T median(T a, T b, T c) { return std::max(std::min(a, b), std::min(std::max(a, b), c)); }

void registerArithmetic(HandlerTable &t) {
  t.add("v_add_nc_u32", lanes<[](U32 a, U32 b) -> U32 { return a + b; }>());
  t.add("v_sub_nc_u32", lanes<[](U32 a, U32 b) -> U32 { return a - b; }>());
  t.add("v_subrev_nc_u32", lanes<[](U32 a, U32 b) -> U32 { return b - a; }>());
  t.add("v_add_nc_i32", lanes<[](U32 a, U32 b) -> U32 { return a + b; }>());
  t.add("v_sub_nc_i32", lanes<[](U32 a, U32 b) -> U32 { return a - b; }>());
  t.add("v_add_nc_u32_clamp", lanes<[](U32 a, U32 b) -> U32 { return a + b < a ? ~0u : a + b; }>());
  t.add("v_sub_nc_u32_clamp", lanes<[](U32 a, U32 b) -> U32 { return a < b ? 0 : a - b; }>());
  t.add("v_subrev_nc_u32_clamp", lanes<[](U32 a, U32 b) -> U32 { return b < a ? 0 : b - a; }>());
  t.add("v_add_nc_i32_clamp", lanes<[](I32 a, I32 b) -> I32 { return I32(std::clamp<I64>(I64(a) + b, INT32_MIN, INT32_MAX)); }>());
  t.add("v_sub_nc_i32_clamp", lanes<[](I32 a, I32 b) -> I32 { return I32(std::clamp<I64>(I64(a) - b, INT32_MIN, INT32_MAX)); }>());
  t.add("v_mul_lo_u32", lanes<[](U32 a, U32 b) -> U32 { return a * b; }>());
  t.add("v_mul_hi_u32", lanes<[](U32 a, U32 b) -> U32 { return U32(U64(a) * b >> 32); }>());
  t.add("v_mul_hi_i32", lanes<[](I32 a, I32 b) -> I32 { return I32(I64(a) * b >> 32); }>());
  t.add("v_mul_u32_u24", lanes<[](U32 a, U32 b) -> U32 { return low24(a) * low24(b); }>());
  t.add("v_mul_i32_i24", lanes<[](U32 a, U32 b) -> U32 { return U32(I64(signed24(a)) * signed24(b)); }>());
  t.add("v_mul_hi_u32_u24", lanes<[](U32 a, U32 b) -> U32 { return U32(U64(low24(a)) * low24(b) >> 32); }>());
  t.add("v_mul_hi_i32_i24", lanes<[](U32 a, U32 b) -> U32 { return U32(I64(signed24(a)) * signed24(b) >> 32); }>());
  t.add("v_mad_u32_u24", lanes<[](U32 a, U32 b, U32 c) -> U32 { return low24(a) * low24(b) + c; }>());
  t.add("v_mad_i32_i24", lanes<[](U32 a, U32 b, U32 c) -> U32 { return U32(I64(signed24(a)) * signed24(b)) + c; }>());
  t.add("v_mad_u32_u16", lanes<[](U16 a, U16 b, U32 c) -> U32 { return U32(a) * b + c; }>());
  t.add("v_mad_i32_i16", lanes<[](I16 a, I16 b, U32 c) -> U32 { return U32(I32(a) * b) + c; }>());
  t.add("v_add3_u32", lanes<[](U32 a, U32 b, U32 c) -> U32 { return a + b + c; }>());
  t.add("v_lshl_add_u32", lanes<[](U32 a, U32 b, U32 c) -> U32 { return (a << (b & 31)) + c; }>());
  t.add("v_add_lshl_u32", lanes<[](U32 a, U32 b, U32 c) -> U32 { return (a + b) << (c & 31); }>());
  t.add("v_xad_u32", lanes<[](U32 a, U32 b, U32 c) -> U32 { return (a ^ b) + c; }>());
  t.add("v_sad_u8", lanes<[](U32 a, U32 b, U32 c) -> U32 { return sumOfDifferences<8>(a, b) + c; }>());
  t.add("v_sad_hi_u8", lanes<[](U32 a, U32 b, U32 c) -> U32 { return (sumOfDifferences<8>(a, b) << 16) + c; }>());
  t.add("v_sad_u16", lanes<[](U32 a, U32 b, U32 c) -> U32 { return sumOfDifferences<16>(a, b) + c; }>());
  t.add("v_sad_u32", lanes<[](U32 a, U32 b, U32 c) -> U32 { return (a > b ? a - b : b - a) + c; }>());
  t.add("v_msad_u8", lanes<[](U32 a, U32 b, U32 c) -> U32 { return maskedDifferences(a, b, c); }>());
}

void registerMinMax(HandlerTable &t) {
  t.add("v_max_u32", lanes<[](U32 a, U32 b) -> U32 { return std::max(a, b); }>());
  t.add("v_min_u32", lanes<[](U32 a, U32 b) -> U32 { return std::min(a, b); }>());
  t.add("v_max_i32", lanes<[](I32 a, I32 b) -> I32 { return std::max(a, b); }>());
  t.add("v_min_i32", lanes<[](I32 a, I32 b) -> I32 { return std::min(a, b); }>());
  t.add("v_max3_u32", lanes<[](U32 a, U32 b, U32 c) -> U32 { return std::max(std::max(a, b), c); }>());
  t.add("v_min3_u32", lanes<[](U32 a, U32 b, U32 c) -> U32 { return std::min(std::min(a, b), c); }>());
  t.add("v_max3_i32", lanes<[](I32 a, I32 b, I32 c) -> I32 { return std::max(std::max(a, b), c); }>());
  t.add("v_min3_i32", lanes<[](I32 a, I32 b, I32 c) -> I32 { return std::min(std::min(a, b), c); }>());
  t.add("v_med3_u32", lanes<[](U32 a, U32 b, U32 c) -> U32 { return median(a, b, c); }>());
  t.add("v_med3_i32", lanes<[](I32 a, I32 b, I32 c) -> I32 { return median(a, b, c); }>());
  t.add("v_maxmin_u32", lanes<[](U32 a, U32 b, U32 c) -> U32 { return std::min(std::max(a, b), c); }>());
  t.add("v_minmax_u32", lanes<[](U32 a, U32 b, U32 c) -> U32 { return std::max(std::min(a, b), c); }>());
  t.add("v_maxmin_i32", lanes<[](I32 a, I32 b, I32 c) -> I32 { return std::min(std::max(a, b), c); }>());
  t.add("v_minmax_i32", lanes<[](I32 a, I32 b, I32 c) -> I32 { return std::max(std::min(a, b), c); }>());
  t.add("v_max_u16", lanes<[](U16 a, U16 b) -> U16 { return std::max(a, b); }>());
  t.add("v_min_u16", lanes<[](U16 a, U16 b) -> U16 { return std::min(a, b); }>());
  t.add("v_max_i16", lanes<[](I16 a, I16 b) -> I16 { return std::max(a, b); }>());
  t.add("v_min_i16", lanes<[](I16 a, I16 b) -> I16 { return std::min(a, b); }>());
  t.add("v_max3_u16", lanes<[](U16 a, U16 b, U16 c) -> U16 { return std::max(std::max(a, b), c); }>());
  t.add("v_min3_u16", lanes<[](U16 a, U16 b, U16 c) -> U16 { return std::min(std::min(a, b), c); }>());
  t.add("v_max3_i16", lanes<[](I16 a, I16 b, I16 c) -> I16 { return std::max(std::max(a, b), c); }>());
  t.add("v_min3_i16", lanes<[](I16 a, I16 b, I16 c) -> I16 { return std::min(std::min(a, b), c); }>());
  t.add("v_med3_u16", lanes<[](U16 a, U16 b, U16 c) -> U16 { return median(a, b, c); }>());
  t.add("v_med3_i16", lanes<[](I16 a, I16 b, I16 c) -> I16 { return median(a, b, c); }>());
}

void registerBits(HandlerTable &t) {
  t.add("v_mov_b32", lanes<[](U32 a) -> U32 { return a; }>());
  t.add("v_mov_b16", lanes<[](U16 a) -> U16 { return a; }>());
  t.add("v_not_b32", lanes<[](U32 a) -> U32 { return ~a; }>());
  t.add("v_not_b16", lanes<[](U16 a) -> U16 { return U16(~a); }>());
  t.add("v_and_b32", lanes<[](U32 a, U32 b) -> U32 { return a & b; }>());
  t.add("v_or_b32", lanes<[](U32 a, U32 b) -> U32 { return a | b; }>());
  t.add("v_xor_b32", lanes<[](U32 a, U32 b) -> U32 { return a ^ b; }>());
  t.add("v_xnor_b32", lanes<[](U32 a, U32 b) -> U32 { return ~(a ^ b); }>());
  t.add("v_and_b16", lanes<[](U16 a, U16 b) -> U16 { return a & b; }>());
  t.add("v_or_b16", lanes<[](U16 a, U16 b) -> U16 { return a | b; }>());
  t.add("v_xor_b16", lanes<[](U16 a, U16 b) -> U16 { return a ^ b; }>());
  t.add("v_xor3_b32", lanes<[](U32 a, U32 b, U32 c) -> U32 { return a ^ b ^ c; }>());
  t.add("v_or3_b32", lanes<[](U32 a, U32 b, U32 c) -> U32 { return a | b | c; }>());
  t.add("v_and_or_b32", lanes<[](U32 a, U32 b, U32 c) -> U32 { return (a & b) | c; }>());
  t.add("v_lshl_or_b32", lanes<[](U32 a, U32 b, U32 c) -> U32 { return (a << (b & 31)) | c; }>());
  t.add("v_bfi_b32", lanes<[](U32 a, U32 b, U32 c) -> U32 { return (a & b) | (~a & c); }>());
  t.add("v_bfe_u32", lanes<[](U32 a, U32 b, U32 c) -> U32 { return fieldUnsigned(a, b, c); }>());
  t.add("v_bfe_i32", lanes<[](U32 a, U32 b, U32 c) -> I32 { return fieldSigned(a, b, c); }>());
  t.add("v_bfm_b32", lanes<[](U32 a, U32 b) -> U32 { return ((1u << (a & 31)) - 1) << (b & 31); }>());
  t.add("v_lshlrev_b32", lanes<[](U32 a, U32 b) -> U32 { return b << (a & 31); }>());
  t.add("v_lshrrev_b32", lanes<[](U32 a, U32 b) -> U32 { return b >> (a & 31); }>());
  t.add("v_ashrrev_i32", lanes<[](U32 a, I32 b) -> I32 { return b >> (a & 31); }>());
  t.add("v_lshlrev_b16", lanes<[](U16 a, U16 b) -> U16 { return U16(b << (a & 15)); }>());
  t.add("v_lshrrev_b16", lanes<[](U16 a, U16 b) -> U16 { return U16(b >> (a & 15)); }>());
  t.add("v_ashrrev_i16", lanes<[](U16 a, I16 b) -> I16 { return I16(b >> (a & 15)); }>());
  t.add("v_alignbit_b32", lanes<[](U32 a, U32 b, U32 c) -> U32 { return U32((U64(a) << 32 | b) >> (c & 31)); }>());
  t.add("v_alignbyte_b32", lanes<[](U32 a, U32 b, U32 c) -> U32 { return U32((U64(a) << 32 | b) >> (8 * (c & 3))); }>());
  t.add("v_perm_b32", lanes<[](U32 a, U32 b, U32 c) -> U32 { return permuteBytes(a, b, c); }>());
  t.add("v_lerp_u8", lanes<[](U32 a, U32 b, U32 c) -> U32 {
          U32 result = 0;
          for (int k = 0; k < 32; k += 8)
            result |= ((((a >> k) & 0xff) + ((b >> k) & 0xff) + ((c >> k) & 1)) >> 1) << k;
          return result;
        }>());
  t.add("v_bfrev_b32", lanes<[](U32 a) -> U32 { return __builtin_bitreverse32(a); }>());
  t.add("v_bcnt_u32_b32", lanes<[](U32 a, U32 b) -> U32 { return U32(__builtin_popcount(a)) + b; }>());
  t.add("v_clz_i32_u32", lanes<[](U32 a) -> U32 { return leadingZeros(a); }>());
  t.add("v_ctz_i32_b32", lanes<[](U32 a) -> U32 { return trailingZeros(a); }>());
  t.add("v_cls_i32", lanes<[](U32 a) -> U32 { return leadingZeros(a ^ U32(I32(a) >> 31)); }>());
  t.add("v_sat_pk_u8_i16", lanes<[](U32 a) -> U16 {
          const I32 low = std::clamp<I32>(I16(a), 0, 255), high = std::clamp<I32>(I16(a >> 16), 0, 255);
          return U16(low | high << 8);
        }>());
  t.add("v_pack_b32_f16", lanes<[](U16 a, U16 b) -> U32 { return a | U32(b) << 16; }>());
}

void registerShort(HandlerTable &t) {
  t.add("v_add_nc_u16", lanes<[](U16 a, U16 b) -> U16 { return U16(a + b); }>());
  t.add("v_sub_nc_u16", lanes<[](U16 a, U16 b) -> U16 { return U16(a - b); }>());
  t.add("v_add_nc_i16", lanes<[](U16 a, U16 b) -> U16 { return U16(a + b); }>());
  t.add("v_sub_nc_i16", lanes<[](U16 a, U16 b) -> U16 { return U16(a - b); }>());
  t.add("v_add_nc_u16_clamp", lanes<[](U16 a, U16 b) -> U16 { return U16(std::min<U32>(U32(a) + b, 65535)); }>());
  t.add("v_sub_nc_u16_clamp", lanes<[](U16 a, U16 b) -> U16 { return U16(a < b ? 0 : a - b); }>());
  t.add("v_add_nc_i16_clamp", lanes<[](I16 a, I16 b) -> I16 { return I16(std::clamp<I32>(a + b, -32768, 32767)); }>());
  t.add("v_sub_nc_i16_clamp", lanes<[](I16 a, I16 b) -> I16 { return I16(std::clamp<I32>(a - b, -32768, 32767)); }>());
  t.add("v_mul_lo_u16", lanes<[](U16 a, U16 b) -> U16 { return U16(U32(a) * b); }>());
  t.add("v_mad_u16", lanes<[](U16 a, U16 b, U16 c) -> U16 { return U16(U32(a) * b + c); }>());
  t.add("v_mad_i16", lanes<[](U16 a, U16 b, U16 c) -> U16 { return U16(U32(a) * b + c); }>());
  t.add("v_mad_u16_clamp", lanes<[](U16 a, U16 b, U16 c) -> U16 { return U16(std::min<U64>(U64(a) * b + c, 65535)); }>());
  t.add("v_mad_i16_clamp", lanes<[](I16 a, I16 b, I16 c) -> I16 { return I16(std::clamp<I64>(I64(a) * b + c, -32768, 32767)); }>());
}

} // namespace

void registerValuInteger(HandlerTable &table) {
  registerArithmetic(table);
  registerMinMax(table);
  registerBits(table);
  registerShort(table);
}

} // namespace ds4::sim::DS4_SIM_ISA
