#include <algorithm>

#include "ir/reference/Math.h"
#include "ir/reference/Reference.h"
#include "ir/reference/RoutingWeights.h"

namespace ds4::reference {

Routing router(const Tensor &logits, const Weight &bias, int64_t k, double scale) {
  require(bias.columns() == logits.columns() && k <= logits.columns(), "router: one bias an expert");
  Tensor ids({logits.tokens(), k});
  for (int64_t t = 0; t < logits.tokens(); ++t) {
    std::vector<double> keys;
    for (int64_t e = 0; e < logits.columns(); ++e)
      keys.push_back(expertScore(logits.row(t)[e]) + bias.values[e]);
    std::copy_n(descendingOrder(keys).begin(), k, ids.row(t).begin());
  }
  return weighExperts(logits, std::move(ids), scale);
}

} // namespace ds4::reference
