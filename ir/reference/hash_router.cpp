#include <algorithm>

#include "ir/reference/Math.h"
#include "ir/reference/Reference.h"
#include "ir/reference/RoutingWeights.h"

namespace ds4::reference {

Routing hashRouter(const Tensor &logits, const Tensor &tokens, const Weight &table, double scale) {
  Tensor ids({logits.tokens(), table.columns()});
  for (int64_t t = 0; t < logits.tokens(); ++t) {
    int64_t token = static_cast<int64_t>(tokens.values[t]);
    require(token >= 0 && token < table.rows(), "hash_router: token ids are rows of the table");
    std::ranges::copy(table.row(token), ids.row(t).begin());
  }
  return weighExperts(logits, std::move(ids), scale);
}

} // namespace ds4::reference
