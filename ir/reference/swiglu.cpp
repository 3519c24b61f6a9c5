#include <algorithm>

#include "ir/reference/Math.h"
#include "ir/reference/Reference.h"

namespace ds4::reference {

Tensor swiglu(const Tensor &gate, const Tensor &up, double limit) {
  require(gate.shape == up.shape, "swiglu: gate and up have one shape");
  Tensor out(gate.shape);
  for (size_t i = 0; i < out.values.size(); ++i) {
    double g = std::min(gate.values[i], limit), u = std::clamp(up.values[i], -limit, limit);
    out.values[i] = g * sigmoid(g) * u;
  }
  return out;
}

} // namespace ds4::reference
