#include <algorithm>

#include "ir/reference/Math.h"
#include "ir/reference/Reference.h"

namespace ds4::reference {

Tensor hcCoefficients(const Tensor &streams, const Weight &fn, const Weight &base, const Weight &scale, double eps) {
  int64_t tokens = streams.tokens(), streamCount = streams.shape[1];
  Tensor z({tokens, streamCount * streams.columns()}, streams.values);
  Tensor out = linear(z, fn);
  require(out.columns() == (2 + streamCount) * streamCount, "hc_coefficients: (2 + S) * S coefficients");
  for (int64_t t = 0; t < tokens; ++t) {
    double factor = inverseRms(z.row(t), eps);
    for (int64_t i = 0; i < out.columns(); ++i) {
      int64_t group = std::min<int64_t>(i / streamCount, 2);
      out.row(t)[i] = out.row(t)[i] * factor * scale.values[group] + base.values[i];
    }
  }
  return out;
}

} // namespace ds4::reference
