#include "runtime/sampling/Sampling.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "runtime/sampling/Uniform.h"
#include "support/Error.h"

namespace ds4 {

namespace {

// Leaves the weights of the most probable tokens with mass >= topP and sets all others to zero.
void keepTopP(std::span<const float> logits, std::vector<double> &weights, double topP) {
  double total = 0.0;
  std::vector<int32_t> heap;
  for (size_t id = 0; id < weights.size(); ++id) {
    total += weights[id];
    if (weights[id] > 0.0)
      heap.push_back(static_cast<int32_t>(id));
  }
  const auto lessProbable = [&](int32_t a, int32_t b) { return logits[a] != logits[b] ? logits[a] < logits[b] : a > b; };
  std::make_heap(heap.begin(), heap.end(), lessProbable);
  auto end = heap.end();
  for (double mass = 0.0; mass < topP * total && end != heap.begin(); --end) {
    std::pop_heap(heap.begin(), end, lessProbable);
    mass += weights[end[-1]];
  }
  for (auto rejected = heap.begin(); rejected != end; ++rejected)
    weights[*rejected] = 0.0;
}

} // namespace

void checkSamplingOptions(const SamplingOptions &options) {
  if (!(options.temperature >= 0.0f) || std::isinf(options.temperature))
    userError("--temperature {}: must be 0 (greedy) or a positive number", options.temperature);
  if (!(options.topP > 0.0f && options.topP <= 1.0f))
    userError("--top-p {}: must be greater than 0 and at most 1", options.topP);
}

int32_t greedyToken(std::span<const float> logits) {
  int32_t best = -1;
  for (size_t id = 0; id < logits.size(); ++id)
    if (!std::isnan(logits[id]) && (best < 0 || logits[id] > logits[best]))
      best = static_cast<int32_t>(id);
  if (best < 0 || std::isinf(logits[best]))
    userError("the {} logits have no finite maximum: run these tokens through `ds4c verify`, which names the first op that goes wrong",
              logits.size());
  return best;
}

int32_t sampleToken(std::span<const float> logits, float temperature, float topP, float uniform) {
  const double greatest = logits[greedyToken(logits)];
  std::vector<double> weights(logits.size());
  for (size_t id = 0; id < logits.size(); ++id)
    weights[id] = std::isnan(logits[id]) ? 0.0 : std::exp((logits[id] - greatest) / temperature);
  if (topP < 1.0f)
    keepTopP(logits, weights, topP);

  double total = 0.0;
  for (double weight : weights)
    total += weight;
  double mass = 0.0;
  int32_t last = -1;
  for (size_t id = 0; id < weights.size(); ++id) {
    if (weights[id] == 0.0)
      continue;
    mass += weights[id];
    last = static_cast<int32_t>(id);
    if (mass > uniform * total)
      break;
  }
  return last;
}

int32_t pickToken(std::span<const float> logits, const SamplingOptions &options, uint64_t position) {
  if (options.temperature == 0.0f)
    return greedyToken(logits);
  return sampleToken(logits, options.temperature, options.topP, uniformAt(options.seed, position));
}

} // namespace ds4
