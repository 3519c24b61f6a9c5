#include <algorithm>

#include "ir/reference/Math.h"
#include "ir/reference/Reference.h"

namespace ds4::reference {

Tensor concat(const Tensor &a, const Tensor &b) {
  require(a.shape.size() == 2 && b.shape.size() == 2 && a.tokens() == b.tokens(), "concat: a row of each for every token");
  Tensor out({a.tokens(), a.columns() + b.columns()});
  for (int64_t t = 0; t < out.tokens(); ++t)
    std::ranges::copy(b.row(t), std::ranges::copy(a.row(t), out.row(t).begin()).out);
  return out;
}

} // namespace ds4::reference
