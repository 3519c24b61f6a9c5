// Dot products of the 2, 4 or 8 elements of a register, added to a third operand.
#include "runtime/providers/simulator/handlers/Halves.h"

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
  static float widen(uint16_t x) { return float(as<Half>(x)); }
  static uint16_t narrow(float x) { return as<uint16_t>(Half(x)); }
};
struct Bf16 {
  static float widen(uint16_t x) { return fromBfloat(x); }
  static uint16_t narrow(float x) { return toBfloat(x); }
};

// c + low product + high product, each step fused: the rounding inside the hardware's sum is not documented.
template <class Element> struct PairProducts {
  const uint32_t *a, *b;
  HalfOperand lowA, lowB, highA, highB;
  PairProducts(Wave &wave, const Instruction &in)
      : a(source<uint32_t>(wave, in, 0)), b(source<uint32_t>(wave, in, 1)), lowA(in, 0, 0, true), lowB(in, 1, 0, true),
        highA(in, 0, 1, true), highB(in, 1, 1, true) {}
  float plus(float c, int l) const {
    const float low = std::fma(Element::widen(lowA.of(a[l])), Element::widen(lowB.of(b[l])), c);
    return std::fma(Element::widen(highA.of(a[l])), Element::widen(highB.of(b[l])), low);
  }
};

template <class Element> void pairDot(Wave &wave, const Instruction &in) {
  const PairProducts<Element> products(wave, in);
  const uint32_t *addend = source<float>(wave, in, 2);
  const uint32_t keep = in.negHi & 4 ? 0x7fffffff : ~0u, flip = in.negLo & 4 ? 0x80000000 : 0;
  Row result;
  for (int l = 0; l < kLanes; l++)
    result[l] = as<uint32_t>(products.plus(as<float>((addend[l] & keep) ^ flip), l));
  if (in.clamp)
    for (int l = 0; l < kLanes; l++)
      result[l] = as<uint32_t>(clampUnit(as<float>(result[l])));
  store(wave.vgpr(in.dst.reg), result, writeMask(wave, in));
}

// v_dot2_f16_f16 and v_dot2_bf16_bf16: addend and result have 16 bits.
template <class Element> void narrowPairDot(Wave &wave, const Instruction &in) {
  const PairProducts<Element> products(wave, in);
  const uint32_t *addend = source<uint16_t>(wave, in, 2);
  Row result, unused;
  for (int l = 0; l < kLanes; l++) {
    const float sum = products.plus(Element::widen(uint16_t(addend[l])), l);
    result[l] = Element::narrow(in.clamp ? clampUnit(sum) : sum);
  }
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
