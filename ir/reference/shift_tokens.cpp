#include <algorithm>

#include "ir/reference/Math.h"
#include "ir/reference/Reference.h"

namespace ds4::reference {

Tensor shiftTokens(const Tensor &tokens, const Tensor &next) {
  require(tokens.shape == next.shape, "shift_tokens: one successor a token");
  Tensor out(tokens.shape);
  out.values[0] = tokens.values[0];
  for (int64_t t = 1; t < out.tokens(); ++t)
    out.values[t] = std::max(next.values[t - 1], 0.0);
  return out;
}

} // namespace ds4::reference
