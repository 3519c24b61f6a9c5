#include "ir/reference/Math.h"
#include "ir/reference/Reference.h"

namespace ds4::reference {

Tensor groupedLinear(const Tensor &x, const Weight &w, int64_t groups) {
  int64_t inner = w.columns(), outer = w.rows() / groups;
  require(x.columns() == groups * inner && w.rows() % groups == 0, "linear: columns of x and of the weight agree");
  Tensor out({x.rows(), w.rows()});
  // Weight rows outside, so that each is read once for all tokens.
  for (int64_t n = 0; n < w.rows(); ++n)
    for (int64_t t = 0; t < x.rows(); ++t)
      out.row(t)[n] = dot(x.row(t).subspan(n / outer * inner, inner), w.row(n));
  return out;
}

} // namespace ds4::reference
