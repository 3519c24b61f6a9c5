#include "ir/reference/Math.h"
#include "ir/reference/Reference.h"

namespace ds4::reference {

Tensor expertLinear(const Tensor &x, const Tensor &ids, const Weight &w) {
  int64_t experts = w.shape[0], outer = w.shape[1], slots = ids.columns();
  bool perSlot = x.shape.size() == 3;
  require(x.columns() == w.columns() && x.tokens() == ids.tokens(), "expert_linear: shapes agree");
  Tensor out({x.tokens(), slots, outer});
  for (int64_t slot = 0; slot < ids.tokens() * slots; ++slot) {
    double id = ids.values[slot];
    if (!(id >= 0 && id < static_cast<double>(experts)))
      continue;
    for (int64_t n = 0; n < outer; ++n)
      out.row(slot)[n] = dot(x.row(perSlot ? slot : slot / slots), w.row(static_cast<int64_t>(id) * outer + n));
  }
  return out;
}

} // namespace ds4::reference
