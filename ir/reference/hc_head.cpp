#include "ir/reference/Math.h"
#include "ir/reference/Reference.h"

namespace ds4::reference {

Tensor hcHead(const Tensor &streams, const Weight &fn, const Weight &base, const Weight &scale, double eps, double hcEps) {
  int64_t tokens = streams.tokens(), streamCount = streams.shape[1];
  Tensor z({tokens, streamCount * streams.columns()}, streams.values);
  Tensor weights = linear(z, fn);
  require(weights.columns() == streamCount, "hc_head: one coefficient a stream");
  for (int64_t t = 0; t < tokens; ++t) {
    double factor = inverseRms(z.row(t), eps) * scale.values[0];
    for (int64_t i = 0; i < streamCount; ++i)
      weights.row(t)[i] = sigmoid(weights.row(t)[i] * factor + base.values[i]) + hcEps;
  }
  return hcRead(streams, weights);
}

} // namespace ds4::reference
