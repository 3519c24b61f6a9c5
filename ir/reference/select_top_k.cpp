#include <algorithm>

#include "ir/reference/Math.h"
#include "ir/reference/Reference.h"

namespace ds4::reference {

Tensor selectTopK(const Tensor &scores, int64_t pos, int64_t k, int64_t ratio) {
  Tensor out({scores.tokens(), k});
  std::ranges::fill(out.values, -1);
  for (int64_t t = 0; t < scores.tokens(); ++t) {
    int64_t visible = (pos + t + 1) / ratio, chosen = std::min(visible, k);
    require(visible <= scores.columns(), "select_top_k: a score for every visible row");
    std::vector<int64_t> ids = descendingOrder(scores.row(t).first(visible));
    ids.resize(chosen);
    std::ranges::sort(ids);
    std::ranges::copy(ids, out.row(t).begin());
  }
  return out;
}

} // namespace ds4::reference
