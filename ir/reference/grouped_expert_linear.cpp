#include "ir/reference/Math.h"
#include "ir/reference/Reference.h"

namespace ds4::reference {

Tensor groupedExpertLinear(const Tensor &x, const Tensor &order, const Tensor &starts, const Weight &w) {
  const int64_t experts = w.shape[0], outer = w.shape[1], slots = order.columns();
  const bool perSlot = x.shape.size() == 3;
  require(x.columns() == w.columns() && x.tokens() == order.tokens() && starts.columns() == experts + 1,
          "grouped_expert_linear: shapes agree");
  Tensor out({x.tokens(), slots, outer});
  for (int64_t expert = 0; expert < experts; ++expert)
    for (auto place = static_cast<int64_t>(starts.values[expert]); place < static_cast<int64_t>(starts.values[expert + 1]);
         ++place) {
      const auto slot = static_cast<int64_t>(order.values[place]);
      for (int64_t n = 0; n < outer; ++n)
        out.row(slot)[n] = dot(x.row(perSlot ? slot : slot / slots), w.row(expert * outer + n));
    }
  return out;
}

} // namespace ds4::reference
