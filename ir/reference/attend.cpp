#include <algorithm>
#include <cmath>

#include "ir/reference/Math.h"
#include "ir/reference/Reference.h"

namespace ds4::reference {

// The rows that token t of `tokens` from `pos` on attends to; each is key and value.
static std::vector<std::span<const double>> keysOf(int64_t t, int64_t tokens, int64_t pos, const State &window,
                                                   const AttendOptions &options) {
  const int64_t position = pos + t, first = options.block ? pos - options.window : position - options.window + 1;
  const int64_t last = options.block ? pos + tokens - 1 : position;
  std::vector<std::span<const double>> keys;
  for (int64_t p = std::max<int64_t>(0, first); p <= last; ++p)
    keys.push_back(window.row(p % window.rows()));
  if (!options.rows)
    return keys;
  int64_t visible = (position + 1) / options.ratio;
  if (!options.picks) {
    for (int64_t row = 0; row < visible; ++row)
      keys.push_back(options.rows->row(row));
    return keys;
  }
  for (double pick : options.picks->row(t))
    if (pick >= 0 && pick < static_cast<double>(visible))
      keys.push_back(options.rows->row(static_cast<int64_t>(pick)));
  return keys;
}

Tensor attend(const Tensor &q, const State &window, const Weight &sinks, int64_t pos, const AttendOptions &options) {
  int64_t heads = q.shape[1];
  require(window.columns() == q.columns() && window.rows() >= options.window, "attend: the window ring fits");
  require(!options.block || (!options.rows && window.rows() >= options.window + q.tokens()), "attend: the block fits");
  require(sinks.columns() == heads, "attend: one sink a head");
  Tensor out(q.shape);
  for (int64_t t = 0; t < q.tokens(); ++t) {
    std::vector<std::span<const double>> keys = keysOf(t, q.tokens(), pos, window, options);
    std::vector<double> scores(keys.size());
    for (int64_t h = 0; h < heads; ++h) {
      std::span<const double> query = q.row(t * heads + h);
      double greatest = sinks.values[h];
      for (size_t i = 0; i < keys.size(); ++i)
        greatest = std::max(greatest, scores[i] = options.scale * dot(query, keys[i]));
      double denominator = std::exp(sinks.values[h] - greatest);
      for (double &score : scores)
        denominator += score = std::exp(score - greatest);
      std::span<double> result = out.row(t * heads + h);
      for (size_t i = 0; i < keys.size(); ++i)
        for (size_t d = 0; d < result.size(); ++d)
          result[d] += scores[i] / denominator * keys[i][d];
    }
  }
  return out;
}

} // namespace ds4::reference
