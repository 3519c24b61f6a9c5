#include "ir/reference/Math.h"
#include "ir/reference/Reference.h"

namespace ds4::reference {

Tensor headNorm(const Tensor &x, double eps) {
  Tensor out = x;
  for (int64_t i = 0; i < out.rows(); ++i) {
    double factor = inverseRms(x.row(i), eps);
    for (double &value : out.row(i))
      value *= factor;
  }
  return out;
}

} // namespace ds4::reference
