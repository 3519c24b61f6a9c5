// Picks a token from logits on the host, by the definitions of the ops `argmax` and `sample` (docs/ops.md). Used where
// logits are scored or drafts are checked on the host, and as the reference for the device kernels.
//
// A NaN has probability zero. Logits whose greatest value is not finite come from a broken computation, not from the
// model: both functions then throw ds4::Error (User) with a hint, instead of a token that means nothing.
#pragma once

#include <cstdint>
#include <span>

namespace ds4 {

struct SamplingOptions {
  float temperature = 0.0f; // 0: greedy
  float topP = 1.0f;        // in (0, 1]
  uint64_t seed = 0;
};

// Throws ds4::Error (User) naming the option when a value is out of range.
void checkSamplingOptions(const SamplingOptions &options);

// The lowest id of the greatest logit.
int32_t greedyToken(std::span<const float> logits);

// softmax(logits / temperature), cut to the smallest set of most probable tokens with mass >= topP (of equal logits the
// lower id comes first), then the inverse of the cumulative distribution at `uniform` in [0, 1), in ascending id order.
// Computed in double precision. temperature > 0.
int32_t sampleToken(std::span<const float> logits, float temperature, float topP, float uniform);

// The token that follows `position`: greedy for temperature 0, otherwise sampled with uniformAt(seed, position).
int32_t pickToken(std::span<const float> logits, const SamplingOptions &options, uint64_t position);

} // namespace ds4
