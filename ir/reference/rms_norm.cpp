#include "ir/reference/Math.h"
#include "ir/reference/Reference.h"

namespace ds4::reference {

Tensor rmsNorm(const Tensor &x, const Weight &weight, double eps) {
  require(weight.columns() == x.columns(), "rms_norm: one weight a channel");
  Tensor out = x;
  for (int64_t t = 0; t < out.rows(); ++t) {
    double factor = inverseRms(x.row(t), eps);
    std::span<double> row = out.row(t);
    for (size_t i = 0; i < row.size(); ++i)
      row[i] *= factor * weight.values[i];
  }
  return out;
}

} // namespace ds4::reference
