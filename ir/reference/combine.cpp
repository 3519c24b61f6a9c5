#include "ir/reference/Math.h"
#include "ir/reference/Reference.h"

namespace ds4::reference {

Tensor combine(const Tensor &y, const Tensor &weights) {
  int64_t slots = weights.columns();
  require(y.rows() == weights.tokens() * slots, "combine: one weight a slot");
  Tensor out({y.tokens(), y.columns()});
  for (int64_t slot = 0; slot < y.rows(); ++slot) {
    double weight = weights.values[slot];
    if (weight == 0)
      continue;
    for (int64_t d = 0; d < y.columns(); ++d)
      out.row(slot / slots)[d] += weight * y.row(slot)[d];
  }
  return out;
}

} // namespace ds4::reference
