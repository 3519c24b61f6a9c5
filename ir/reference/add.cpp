#include <algorithm>
#include <functional>

#include "ir/reference/Math.h"
#include "ir/reference/Reference.h"

namespace ds4::reference {

Tensor add(const Tensor &a, const Tensor &b) {
  require(a.shape == b.shape, "add: one shape");
  Tensor out(a.shape);
  std::ranges::transform(a.values, b.values, out.values.begin(), std::plus());
  return out;
}

} // namespace ds4::reference
