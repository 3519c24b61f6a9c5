// Conversions between f32, f16 and integers, and the packing conversions.
#include "runtime/providers/simulator/handlers/Numerics.h"

#include <algorithm>

namespace ds4::sim::DS4_SIM_ISA {

namespace {

using U16 = uint16_t;
using I16 = int16_t;
using U32 = uint32_t;
using I32 = int32_t;

inline U16 unitToSigned(float x) { return U16(I16(__builtin_roundevenf((x != x ? 0.0f : std::clamp(x, -1.0f, 1.0f)) * 32767.0f))); }
inline U16 unitToUnsigned(float x) { return U16(__builtin_roundevenf((x != x ? 0.0f : std::clamp(x, 0.0f, 1.0f)) * 65535.0f)); }
inline U32 pair(U16 low, U16 high) { return low | U32(high) << 16; }

// The 4-bit signed fraction table of v_cvt_off_f32_i4: sixteenths from -8 to 7.
inline float fractionOfNibble(U32 x) { return float(I32(x << 28) >> 28) / 16.0f; }

} // namespace

void registerValuConvert(HandlerTable &t) {
  t.add("v_cvt_f32_i32", lanes<[](I32 a) -> float { return float(a); }>());
  t.add("v_cvt_f32_u32", lanes<[](U32 a) -> float { return float(a); }>());
  t.add("v_cvt_i32_f32", lanes<[](float a) -> I32 { return saturate<I32>(double(a)); }>());
  t.add("v_cvt_u32_f32", lanes<[](float a) -> U32 { return saturate<U32>(double(a)); }>());
  t.add("v_cvt_nearest_i32_f32", lanes<[](float a) -> I32 { return saturate<I32>(__builtin_floor(double(a) + 0.5)); }>());
  t.add("v_cvt_floor_i32_f32", lanes<[](float a) -> I32 { return saturate<I32>(__builtin_floor(double(a))); }>());
  t.add("v_cvt_f32_f16", lanes<[](Half a) -> float { return float(a); }>());
  t.add("v_cvt_f16_f32", lanes<[](float a) -> Half { return Half(a); }>());
  t.add("v_cvt_f32_ubyte0", lanes<[](U32 a) -> float { return float(a & 0xff); }>());
  t.add("v_cvt_f32_ubyte1", lanes<[](U32 a) -> float { return float((a >> 8) & 0xff); }>());
  t.add("v_cvt_f32_ubyte2", lanes<[](U32 a) -> float { return float((a >> 16) & 0xff); }>());
  t.add("v_cvt_f32_ubyte3", lanes<[](U32 a) -> float { return float(a >> 24); }>());
  t.add("v_cvt_off_f32_i4", lanes<[](U32 a) -> float { return fractionOfNibble(a); }>());
  t.add("v_cvt_f16_u16", lanes<[](U16 a) -> Half { return Half(float(a)); }>());
  t.add("v_cvt_f16_i16", lanes<[](I16 a) -> Half { return Half(float(a)); }>());
  t.add("v_cvt_u16_f16", lanes<[](Half a) -> U16 { return saturate<U16>(double(a)); }>());
  t.add("v_cvt_i16_f16", lanes<[](Half a) -> I16 { return saturate<I16>(double(a)); }>());
  t.add("v_cvt_i32_i16", lanes<[](I16 a) -> I32 { return a; }>());
  t.add("v_cvt_u32_u16", lanes<[](U16 a) -> U32 { return a; }>());

  t.add("v_cvt_pk_rtz_f16_f32", lanes<[](float a, float b) -> U32 { return halfTowardZero(a) | halfTowardZero(b) << 16; }>());
  t.add("v_cvt_pk_norm_i16_f32", lanes<[](float a, float b) -> U32 { return pair(unitToSigned(a), unitToSigned(b)); }>());
  t.add("v_cvt_pk_norm_u16_f32", lanes<[](float a, float b) -> U32 { return pair(unitToUnsigned(a), unitToUnsigned(b)); }>());
  t.add("v_cvt_pk_norm_i16_f16",
        lanes<[](Half a, Half b) -> U32 { return pair(unitToSigned(float(a)), unitToSigned(float(b))); }>());
  t.add("v_cvt_pk_norm_u16_f16",
        lanes<[](Half a, Half b) -> U32 { return pair(unitToUnsigned(float(a)), unitToUnsigned(float(b))); }>());
  t.add("v_cvt_norm_i16_f16", lanes<[](Half a) -> U16 { return unitToSigned(float(a)); }>());
  t.add("v_cvt_norm_u16_f16", lanes<[](Half a) -> U16 { return unitToUnsigned(float(a)); }>());
  t.add("v_cvt_pk_i16_f32", lanes<[](float a, float b) -> U32 { return pair(U16(saturate<I16>(a)), U16(saturate<I16>(b))); }>());
  t.add("v_cvt_pk_u16_f32", lanes<[](float a, float b) -> U32 { return pair(saturate<U16>(a), saturate<U16>(b)); }>());
  t.add("v_cvt_pk_u16_u32", lanes<[](U32 a, U32 b) -> U32 { return pair(U16(std::min(a, 65535u)), U16(std::min(b, 65535u))); }>());
  t.add("v_cvt_pk_i16_i32",
        lanes<[](I32 a, I32 b) -> U32 { return pair(U16(std::clamp(a, -32768, 32767)), U16(std::clamp(b, -32768, 32767))); }>());
  // Byte number b of c becomes the rounded and saturated a.
  t.add("v_cvt_pk_u8_f32", lanes<[](float a, U32 b, U32 c) -> U32 {
          const U32 shift = 8 * (b & 3);
          return (c & ~(0xffu << shift)) | U32(saturate<uint8_t>(double(__builtin_roundevenf(a)))) << shift;
        }>());
}

} // namespace ds4::sim::DS4_SIM_ISA
