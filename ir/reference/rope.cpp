#include "ir/reference/Math.h"
#include "ir/reference/Reference.h"

namespace ds4::reference {

Tensor rope(const Tensor &x, int64_t pos, std::span<const float> frequencies, bool inverse) {
  require(x.columns() >= static_cast<int64_t>(2 * frequencies.size()), "rope: a row has the rotated channels");
  Tensor out = x;
  int64_t rowsPerToken = x.rows() / x.tokens();
  for (int64_t i = 0; i < out.rows(); ++i)
    rotate(out.row(i), static_cast<double>(pos + i / rowsPerToken), frequencies, inverse);
  return out;
}

} // namespace ds4::reference
