#include <algorithm>
#include <cmath>

#include "ir/reference/Math.h"
#include "ir/reference/Reference.h"

namespace ds4::reference {

// Probabilities of one token's logits; NaN has none. Empty when nothing has any.
static std::vector<double> probabilities(std::span<const double> logits, double temperature) {
  double greatest = -INFINITY, sum = 0;
  for (double logit : logits)
    greatest = std::fmax(greatest, logit);
  if (greatest == -INFINITY)
    return {};
  std::vector<double> result;
  for (double logit : logits)
    sum += result.emplace_back(std::isnan(logit) ? 0 : std::exp((logit - greatest) / temperature));
  for (double &p : result)
    p /= sum;
  return result;
}

static int64_t sampleOne(std::span<const double> logits, double temperature, double topP, double uniform) {
  if (temperature <= 0)
    return -1;
  std::vector<double> p = probabilities(logits, temperature);
  if (p.empty())
    return -1;
  std::vector<int64_t> ids = descendingOrder(p);
  double mass = 0;
  size_t kept = 0;
  while (kept < ids.size() && p[ids[kept]] > 0 && mass < topP)
    mass += p[ids[kept++]];
  ids.resize(kept);
  std::ranges::sort(ids);
  double cumulative = 0;
  for (int64_t id : ids)
    if ((cumulative += p[id]) > uniform * mass)
      return id;
  return ids.back();
}

Tensor sample(const Tensor &logits, double temperature, double topP, std::span<const double> uniforms) {
  require(static_cast<int64_t>(uniforms.size()) >= logits.tokens(), "sample: one uniform number a token");
  Tensor out({logits.tokens()});
  for (int64_t t = 0; t < logits.tokens(); ++t)
    out.values[t] = static_cast<double>(sampleOne(logits.row(t), temperature, topP, uniforms[t]));
  return out;
}

} // namespace ds4::reference
