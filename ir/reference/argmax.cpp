#include "ir/reference/Reference.h"

#include <cmath>

namespace ds4::reference {

Tensor argmax(const Tensor &logits) {
  Tensor out({logits.tokens()});
  for (int64_t t = 0; t < logits.tokens(); ++t) {
    std::span<const double> row = logits.row(t);
    int64_t best = -1;
    for (int64_t id = 0; id < logits.columns(); ++id)
      if (!std::isnan(row[id]) && (best < 0 || row[id] > row[best]))
        best = id;
    out.values[t] = static_cast<double>(best);
  }
  return out;
}

} // namespace ds4::reference
