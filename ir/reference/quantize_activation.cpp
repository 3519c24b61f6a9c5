#include <algorithm>
#include <cmath>

#include "ir/reference/Math.h"
#include "ir/reference/Reference.h"

namespace ds4::reference {
namespace {

// A binary floating-point format of 8 or 4 bits, and the least magnitude that a group is scaled for.
struct SmallFloat {
  int mantissaBits, minExponent;
  float greatest, floor;
};
constexpr SmallFloat kE4m3{3, -6, 448, 1e-4f};
constexpr SmallFloat kE2m1{1, 0, 6, 6 * 0x1p-126f};

// The least power of two not below `value` > 0.
double powerOfTwoAbove(float value) {
  int exponent = 0;
  float mantissa = std::frexp(value, &exponent); // in [0.5, 1)
  return std::ldexp(1.0, mantissa == 0.5f ? exponent - 1 : exponent);
}

float greatestMagnitude(std::span<const double> group) {
  float greatest = 0;
  for (double value : group)
    greatest = std::max(greatest, std::abs(static_cast<float>(value)));
  return greatest;
}

void roundTripFloat(std::span<double> group, const SmallFloat &format) {
  float greatest = std::max(greatestMagnitude(group), format.floor);
  double scale = powerOfTwoAbove(greatest * (1 / format.greatest));
  for (double &value : group) {
    double scaled = std::clamp<double>(static_cast<float>(value) / scale, -format.greatest, format.greatest);
    value = roundToBinary(scaled, format.mantissaBits, format.minExponent) * scale;
  }
}

void roundTripInt8(std::span<double> group) {
  float scale = greatestMagnitude(group) / 127;
  for (double &value : group)
    value = scale == 0 ? 0 : std::nearbyint(static_cast<float>(value) / scale) * static_cast<double>(scale);
}

} // namespace

Tensor quantizeActivation(const Tensor &x, Scheme scheme, int64_t block) {
  require(x.columns() % block == 0, "quantize_activation: whole groups in a row");
  Tensor out = x;
  for (size_t first = 0; first < out.values.size(); first += block) {
    std::span<double> group(out.values.data() + first, block);
    switch (scheme) {
    case Scheme::Fp8:
      roundTripFloat(group, kE4m3);
      break;
    case Scheme::Fp4:
      roundTripFloat(group, kE2m1);
      break;
    case Scheme::Int8:
      roundTripInt8(group);
      break;
    }
  }
  return out;
}

} // namespace ds4::reference
