#include "tools/ds4-run/Run.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "support/Error.h"

namespace ds4 {

namespace {

constexpr size_t kTop = 16;

struct Score {
  double logSumExp = 0;
  std::vector<int32_t> topIds; // best first; of equal logits the lower id
};

Score score(std::span<const float> logits, int64_t position) {
  float greatest = *std::max_element(logits.begin(), logits.end());
  if (!std::isfinite(greatest))
    internalError("the logits at position {} are not finite", position);
  double sum = 0;
  for (float logit : logits)
    sum += std::exp(double(logit) - greatest);
  Score result{greatest + std::log(sum), std::vector<int32_t>(logits.size())};
  std::iota(result.topIds.begin(), result.topIds.end(), 0);
  size_t top = std::min(kTop, logits.size());
  std::partial_sort(result.topIds.begin(), result.topIds.begin() + static_cast<ptrdiff_t>(top), result.topIds.end(),
                    [&](int32_t a, int32_t b) { return logits[a] != logits[b] ? logits[a] > logits[b] : a < b; });
  result.topIds.resize(top);
  return result;
}

} // namespace

std::vector<int32_t> scoreTokens(const RunArguments &arguments, Executor &executor, const std::vector<int32_t> &ids) {
  Session session(executor);
  nlohmann::ordered_json positions = nlohmann::ordered_json::array();
  double nll = 0;
  session.feedObserved(ids, readingWidth(arguments), [&](int64_t first, int64_t width) {
    std::vector<float> logits = executor.output("logits");
    size_t vocabulary = logits.size() / static_cast<size_t>(width);
    for (int64_t t = 0; t < width; ++t) {
      std::span<const float> row = std::span(logits).subspan(static_cast<size_t>(t) * vocabulary, vocabulary);
      Score s = score(row, first + t);
      std::vector<float> topLogits;
      for (int32_t id : s.topIds)
        topLogits.push_back(row[id]);
      positions.push_back({{"position", first + t}, {"logsumexp", s.logSumExp}, {"top_ids", s.topIds}, {"top_logits", topLogits}});
      if (static_cast<size_t>(first + t + 1) < ids.size())
        nll += s.logSumExp - row[ids[first + t + 1]];
    }
  });
  nlohmann::ordered_json out{{"tokens", ids.size()}};
  if (ids.size() > 1)
    out["mean_nll"] = nll / double(ids.size() - 1);
  if (arguments.json) {
    out["positions"] = positions;
    fmt::print("{}\n", out.dump());
  } else if (ids.size() > 1) {
    fmt::print("{} tokens, mean negative log-likelihood {:.6f}, perplexity {:.3f}\n", ids.size(), nll / double(ids.size() - 1),
               std::exp(nll / double(ids.size() - 1)));
  } else {
    fmt::print("1 token: nothing to score it by (--json prints its logits)\n");
  }
  return {};
}

} // namespace ds4
