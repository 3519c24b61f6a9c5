#include <algorithm>

#include "ir/reference/Math.h"
#include "ir/reference/Reference.h"

namespace ds4::reference {

Tensor moeGateUp(const Tensor &x, const Tensor &ids, const Tensor &weights, const Weight &gate, const Weight &up, double limit) {
  require(weights.shape == ids.shape, "moe_gate_up: a weight a slot");
  Tensor hidden = swiglu(expertLinear(x, ids, gate), expertLinear(x, ids, up), limit);
  for (size_t slot = 0; slot < weights.values.size(); ++slot)
    if (weights.values[slot] == 0)
      std::ranges::fill(hidden.row(static_cast<int64_t>(slot)), 0.0);
  return hidden;
}

} // namespace ds4::reference
