// The steps of an IEEE division: v_div_scale brings operands into a range where the reciprocal's refinement neither
// overflows nor loses bits, v_div_fmas undoes that on the last step, v_div_fixup supplies the special cases.
#include "runtime/providers/simulator/handlers/Numerics.h"

namespace ds4::sim::DS4_SIM_ISA {
namespace {

template <class T> struct Format;
template <> struct Format<Half> {
  static constexpr int mantissaBits = 10, exponentMask = 0x1f;
};
template <> struct Format<float> {
  static constexpr int mantissaBits = 23, exponentMask = 0xff, bias = 127, step = 64, farApart = 96, tinyNumerator = 23;
};
template <> struct Format<double> {
  static constexpr int mantissaBits = 52, exponentMask = 0x7ff, bias = 1023, step = 128, farApart = 768, tinyNumerator = 53;
};

template <class T> int biasedExponent(T x) {
  return int(as<BitsOf<sizeof(T)>>(x) >> Format<T>::mantissaBits) & Format<T>::exponentMask;
}
template <class T> bool belowNormal(T x) { return biasedExponent(x) == 0; }

template <class T> T powerOfTwo(int exponent) {
  return as<T>(BitsOf<sizeof(T)>(BitsOf<sizeof(T)>(exponent + Format<T>::bias) << Format<T>::mantissaBits));
}

// One of denominator and numerator, scaled. `flag` asks v_div_fmas to scale the quotient back.
template <class T> T scaled(T value, T denominator, T numerator, bool &flag) {
  using F = Format<T>;
  const T up = powerOfTwo<T>(F::step), down = powerOfTwo<T>(-F::step);
  flag = false;
  if (numerator == 0 || denominator == 0)
    return std::numeric_limits<T>::quiet_NaN();
  if (biasedExponent(numerator) - biasedExponent(denominator) >= F::farApart) {
    flag = true;
    return value == denominator ? value * up : value;
  }
  if (belowNormal(denominator))
    return value * up;
  // Reciprocals of f32 values are normal in the f64 that the definition computes them in.
  const bool tinyReciprocal = sizeof(T) == 8 && belowNormal(T(1) / denominator),
             tinyQuotient = belowNormal(numerator / denominator);
  if (tinyReciprocal && tinyQuotient) {
    flag = true;
    return value == denominator ? value * up : value;
  }
  if (tinyReciprocal)
    return value * down;
  if (tinyQuotient) {
    flag = true;
    return value == numerator ? value * up : value;
  }
  return biasedExponent(numerator) <= F::tinyNumerator ? value * up : value;
}

template <class T> void scaleHandler(Wave &wave, const Instruction &in) {
  const uint32_t *low[3], *high[3];
  for (int k = 0; k < 3; k++) {
    low[k] = source<T>(wave, in, k, 0);
    high[k] = kIsPair<T> ? source<T>(wave, in, k, 1) : nullptr;
  }
  Row resultLow, resultHigh;
  uint32_t flags = 0;
  for (int l = 0; l < kLanes; l++) {
    bool flag;
    const auto bits = as<BitsOf<sizeof(T)>>(
        scaled(laneValue<T>(low[0], high[0], l), laneValue<T>(low[1], high[1], l), laneValue<T>(low[2], high[2], l), flag));
    resultLow[l] = uint32_t(bits);
    resultHigh[l] = uint32_t(uint64_t(bits) >> 32);
    flags |= uint32_t(flag) << l;
  }
  writeResult<T>(wave, in, resultLow, resultHigh, wave.exec());
  wave.setScalar(in.carryReg, flags & wave.exec());
}

// Lanes with their VCC bit set: the direction follows from the addend, which is on the scale of the quotient.
template <class T> void fmasHandler(Wave &wave, const Instruction &in) {
  const uint32_t *low[3], *high[3];
  for (int k = 0; k < 3; k++) {
    low[k] = source<T>(wave, in, k, 0);
    high[k] = kIsPair<T> ? source<T>(wave, in, k, 1) : nullptr;
  }
  const uint32_t flags = wave.s[kVcc];
  Row resultLow, resultHigh;
  for (int l = 0; l < kLanes; l++) {
    const T addend = laneValue<T>(low[2], high[2], l);
    T quotient = std::fma(laneValue<T>(low[0], high[0], l), laneValue<T>(low[1], high[1], l), addend);
    if ((flags >> l) & 1)
      quotient *= powerOfTwo<T>(biasedExponent(addend) > Format<T>::bias ? Format<T>::step : -Format<T>::step);
    const auto bits = as<BitsOf<sizeof(T)>>(quotient);
    resultLow[l] = uint32_t(bits);
    resultHigh[l] = uint32_t(uint64_t(bits) >> 32);
  }
  writeResult<T>(wave, in, resultLow, resultHigh, wave.exec());
}

template <class T> T fixedUp(T quotient, T denominator, T numerator) {
  using Bits = BitsOf<sizeof(T)>;
  constexpr Bits signBit = Bits(1) << (8 * sizeof(T) - 1), infinity = Bits(Format<T>::exponentMask) << Format<T>::mantissaBits;
  const Bits d = as<Bits>(denominator) & ~signBit, n = as<Bits>(numerator) & ~signBit;
  const Bits sign = (as<Bits>(denominator) ^ as<Bits>(numerator)) & signBit;
  if (n > infinity)
    return numerator;
  if (d > infinity)
    return denominator;
  if ((d == 0 && n == 0) || (d == infinity && n == infinity))
    return as<T>(Bits(infinity | infinity >> 1)); // a quiet NaN
  if (d == 0 || n == infinity)
    return as<T>(Bits(sign | infinity));
  if (d == infinity || n == 0)
    return as<T>(sign);
  if (quotient != quotient)
    return as<T>(Bits(sign | infinity));
  return as<T>(Bits((as<Bits>(quotient) & ~signBit) | sign));
}

template <class T>
constexpr auto kFixup = [](T quotient, T denominator, T numerator) -> T { return fixedUp(quotient, denominator, numerator); };

} // namespace

void registerDivision(HandlerTable &table) {
  table.add("v_div_scale_f32", {scaleHandler<float>, "FFFF", kCarryOut});
  table.add("v_div_scale_f64", {scaleHandler<double>, "DDDD", kCarryOut});
  table.add("v_div_fmas_f32", {fmasHandler<float>, "FFFF", 0});
  table.add("v_div_fmas_f64", {fmasHandler<double>, "DDDD", 0});
  table.add("v_div_fixup_f16", lanes<kFixup<Half>>());
  table.add("v_div_fixup_f32", lanes<kFixup<float>>());
  table.add("v_div_fixup_f64", lanes<kFixup<double>>());
}

} // namespace ds4::sim::DS4_SIM_ISA
