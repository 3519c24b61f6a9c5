#include <algorithm>
#include <cmath>

#include "ir/reference/Math.h"
#include "ir/reference/Reference.h"

namespace ds4::reference {

ScaledHalves scaleToHalf(const Tensor &x) {
  constexpr int kTop = 15, kLowest = -112; // exponents: the result's largest magnitude is below 2^kTop; of the smallest row scaled
  std::vector<int64_t> outer(x.shape.begin(), x.shape.end() - 1);
  ScaledHalves result{x, Tensor(outer)};
  for (size_t row = 0; row < result.scales.values.size(); ++row) {
    double *values = result.halves.values.data() + row * static_cast<size_t>(x.columns());
    double largest = 0;
    for (int64_t k = 0; k < x.columns(); ++k)
      largest = std::max(largest, std::abs(static_cast<double>(static_cast<float>(values[k]))));
    const int exponent = largest > 0 ? std::max(std::ilogb(largest), kLowest) : kLowest;
    const double scale = std::ldexp(1.0, exponent + 1 - kTop);
    for (int64_t k = 0; k < x.columns(); ++k)
      values[k] = roundToBinary(static_cast<float>(values[k]) / scale, 10, -14);
    result.scales.values[row] = scale;
  }
  return result;
}

Tensor scaledRows(const Tensor &halves, const Tensor &scales) {
  Tensor x = halves;
  const size_t width = halves.values.size() / scales.values.size();
  for (size_t i = 0; i < x.values.size(); ++i)
    x.values[i] *= scales.values[i / width];
  return x;
}

} // namespace ds4::reference
