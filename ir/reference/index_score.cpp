#include <algorithm>
#include <limits>

#include "ir/reference/Math.h"
#include "ir/reference/Reference.h"

namespace ds4::reference {

Tensor indexScore(const Tensor &q, const Tensor &weights, const State &rows, int64_t pos, int64_t ratio, double scale) {
  int64_t tokens = q.tokens(), heads = q.shape[1], columns = (pos + tokens) / ratio;
  require(q.columns() == rows.columns() && weights.columns() == heads && columns <= rows.rows(), "index_score: shapes agree");
  Tensor out({tokens, columns});
  for (int64_t t = 0; t < tokens; ++t) {
    int64_t visible = (pos + t + 1) / ratio;
    for (int64_t r = 0; r < columns; ++r) {
      double score = 0;
      for (int64_t h = 0; h < heads; ++h)
        score += scale * weights.row(t)[h] * std::max(0.0, dot(q.row(t * heads + h), rows.row(r)));
      out.row(t)[r] = r < visible ? score : -std::numeric_limits<double>::infinity();
    }
  }
  return out;
}

} // namespace ds4::reference
