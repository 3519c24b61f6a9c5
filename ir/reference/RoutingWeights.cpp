#include "ir/reference/RoutingWeights.h"

#include <algorithm>
#include <cmath>

#include "ir/reference/Math.h"

namespace ds4::reference {

double expertScore(double logit) { return std::sqrt(std::max(logit, 0.0) + std::log1p(std::exp(-std::abs(logit)))); }

Routing weighExperts(const Tensor &logits, Tensor ids, double scale) {
  Tensor weights(ids.shape);
  for (int64_t t = 0; t < ids.tokens(); ++t) {
    double sum = 0;
    for (int64_t u = 0; u < ids.columns(); ++u) {
      int64_t expert = static_cast<int64_t>(ids.row(t)[u]);
      require(expert >= 0 && expert < logits.columns(), "router: chosen experts have a logit");
      sum += weights.row(t)[u] = expertScore(logits.row(t)[expert]);
    }
    for (double &weight : weights.row(t))
      weight = weight / sum * scale;
  }
  return {std::move(ids), std::move(weights)};
}

} // namespace ds4::reference
