#include "runtime/speculation/DsparkDrafter.h"

#include <algorithm>
#include <cmath>

namespace ds4 {

DsparkDrafter::DsparkDrafter(Executor &target, WeightSource &weights, ExecutorOptions options)
    : executor_(target, weights, std::move(options)), noiseToken_(target.plan().noiseToken) {}

Draft DsparkDrafter::draft(std::span<const int32_t> context, int count) {
  const auto first = static_cast<int64_t>(context.size()) - 1; // position of the confirmed token
  const size_t block = executor_.plan().maxWidth;
  Draft draft;
  if (count < 1 || first < 0 || first + static_cast<int64_t>(block) > executor_.plan().context)
    return draft;
  std::vector<int32_t> tokens(block, noiseToken_);
  tokens[0] = context.back();
  executor_.step({.pos = first, .tokens = tokens});

  draft.tokens = executor_.outputIds("drafts");
  draft.tokens.resize(std::min(block, static_cast<size_t>(count)));
  draft.tokens.erase(std::ranges::find(draft.tokens, -1), draft.tokens.end()); // logits that are no numbers
  const std::vector<float> raw = executor_.output("confidence");
  for (size_t slot = 0; slot < draft.tokens.size(); ++slot)
    draft.confidence.push_back(1 / (1 + std::exp(-raw[slot])));
  return draft;
}

} // namespace ds4
