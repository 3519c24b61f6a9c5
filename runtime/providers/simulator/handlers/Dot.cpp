// Dot products of the 2, 4 or 8 elements of a register, added to a third operand.
#include "runtime/providers/simulator/handlers/Numerics.h"

namespace ds4::sim::DS4_SIM_ISA {
namespace {

// Element e of Bits bits.
template <int Bits, bool Signed> int32_t element(uint32_t word, int e) {
  const uint32_t top = word << (32 - Bits - Bits * e);
  return Signed ? int32_t(top) >> (32 - Bits) : int32_t(top >> (32 - Bits));
}

template <int Bits, bool SignedA, bool SignedB> void sumOfProducts(const uint32_t *a, const uint32_t *b, Row &sum) {
  for (int l = 0; l < kLanes; l++) {
    int32_t total = 0;
    for (int e = 0; e < 32 / Bits; e++)
      total += element<Bits, SignedA>(a[l], e) * element<Bits, SignedB>(b[l], e);
    sum[l] = uint32_t(total);
  }
}

// neg_lo names the signed operands of the iu forms. Clamp saturates the sum.
template <int Bits, bool SignsFromModifiers> void integerDot(Wave &wave, const Instruction &in) {
  const uint32_t *a = source<uint32_t>(wave, in, 0), *b = source<uint32_t>(wave, in, 1), *c = source<uint32_t>(wave, in, 2);
  Row result;
  switch (SignsFromModifiers ? in.negLo & 3 : 0) {
  case 0:
    sumOfProducts<Bits, false, false>(a, b, result);
    break;
  case 1:
    sumOfProducts<Bits, true, false>(a, b, result);
    break;
  case 2:
    sumOfProducts<Bits, false, true>(a, b, result);
    break;
  default:
    sumOfProducts<Bits, true, true>(a, b, result);
  }
  if (!in.clamp)
    for (int l = 0; l < kLanes; l++)
      result[l] += c[l];
  else
    for (int l = 0; l < kLanes; l++)
      result[l] = SignsFromModifiers ? uint32_t(saturate<int32_t>(double(int32_t(result[l])) + double(int32_t(c[l]))))
                                     : saturate<uint32_t>(double(result[l]) + double(c[l]));
  store(wave.vgpr(in.dst.reg), result, writeMask(wave, in));
}

struct F16 {
  static float load(uint32_t word, int shift) { return float(as<Half>(uint16_t(word >> shift))); }
  static uint32_t narrow(float x) { return as<uint16_t>(Half(x)); }
};
struct Bf16 {
  static float load(uint32_t word, int shift) { return fromBfloat(uint16_t(word >> shift)); }
  static uint32_t narrow(float x) { return toBfloat(x); }
};

// Element e (0 or 1) of source k as f32, with op_sel and neg.
template <class Element> void loadElements(const Instruction &in, const uint32_t *from, int k, int e, float *to) {
  const int shift = ((e ? in.opSelHi : in.opSel) >> k) & 1 ? 16 : 0;
  const float sign = ((e ? in.negHi : in.negLo) >> k) & 1 ? -1.0f : 1.0f;
  for (int l = 0; l < kLanes; l++)
    to[l] = sign * Element::load(from[l], shift);
}

// c + low product + high product, each step fused: the rounding inside the hardware's sum is not documented.
template <class Element> void dotOfPairs(Wave &wave, const Instruction &in, const float *c, float *sum) {
  const uint32_t *a = source<uint32_t>(wave, in, 0), *b = source<uint32_t>(wave, in, 1);
  memcpy(sum, c, kLanes * sizeof(float));
  for (int e = 0; e < 2; e++) {
    alignas(64) float x[kLanes], y[kLanes];
    loadElements<Element>(in, a, 0, e, x);
    loadElements<Element>(in, b, 1, e, y);
    for (int l = 0; l < kLanes; l++)
      sum[l] = std::fma(x[l], y[l], sum[l]);
  }
}

template <class Element> void pairDot(Wave &wave, const Instruction &in) {
  alignas(64) float c[kLanes], sum[kLanes];
  const uint32_t *addend = source<float>(wave, in, 2);
  const float sign = in.negLo & 4 ? -1.0f : 1.0f;
  for (int l = 0; l < kLanes; l++)
    c[l] = sign * (in.negHi & 4 ? std::fabs(as<float>(addend[l])) : as<float>(addend[l]));
  dotOfPairs<Element>(wave, in, c, sum);
  Row result;
  for (int l = 0; l < kLanes; l++)
    result[l] = as<uint32_t>(in.clamp ? clampUnit(sum[l]) : sum[l]);
  store(wave.vgpr(in.dst.reg), result, writeMask(wave, in));
}

// v_dot2_f16_f16 and v_dot2_bf16_bf16: addend and result have 16 bits.
template <class Element> void narrowPairDot(Wave &wave, const Instruction &in) {
  alignas(64) float c[kLanes], sum[kLanes];
  const uint32_t *addend = source<uint16_t>(wave, in, 2);
  for (int l = 0; l < kLanes; l++)
    c[l] = Element::load(addend[l], 0);
  dotOfPairs<Element>(wave, in, c, sum);
  Row result, unused;
  for (int l = 0; l < kLanes; l++)
    result[l] = Element::narrow(in.clamp ? clampUnit(sum[l]) : sum[l]);
  writeResult<uint16_t>(wave, in, result, unused, writeMask(wave, in));
}

} // namespace

void registerDot(HandlerTable &table) {
  table.add("v_dot4_i32_iu8", {integerDot<8, true>, "UUUU", 0});
  table.add("v_dot8_i32_iu4", {integerDot<4, true>, "UUUU", 0});
  table.add("v_dot4_u32_u8", {integerDot<8, false>, "UUUU", 0});
  table.add("v_dot8_u32_u4", {integerDot<4, false>, "UUUU", 0});
  table.add("v_dot2_f32_f16", {pairDot<F16>, "FUUF", 0});
  table.add("v_dot2_f32_bf16", {pairDot<Bf16>, "FUUF", 0});
  table.add("v_dot2acc_f32_f16", {pairDot<F16>, "FUUF", kAccumulates});
  table.add("v_dot2acc_f32_bf16", {pairDot<Bf16>, "FUUF", kAccumulates});
  table.add("v_dot2_f16_f16", {narrowPairDot<F16>, "HUUH", 0});
  table.add("v_dot2_bf16_bf16", {narrowPairDot<Bf16>, "WUUW", 0});
}

} // namespace ds4::sim::DS4_SIM_ISA
