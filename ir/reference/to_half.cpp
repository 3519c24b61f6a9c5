#include <algorithm>

#include "ir/reference/Math.h"
#include "ir/reference/Reference.h"

namespace ds4::reference {

Tensor toHalf(const Tensor &x) {
  constexpr double kGreatest = 65504;
  Tensor out = x;
  for (double &value : out.values)
    value = roundToBinary(std::clamp<double>(static_cast<float>(value), -kGreatest, kGreatest), 10, -14);
  return out;
}

} // namespace ds4::reference
