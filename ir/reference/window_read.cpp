#include <algorithm>

#include "ir/reference/Reference.h"

namespace ds4::reference {

Tensor windowRead(const State &window, int64_t pos, int64_t tokens, int64_t first, int64_t cols) {
  Tensor out({tokens, cols});
  for (int64_t t = 0; t < tokens; ++t) {
    const auto row = window.row((pos + t) % window.rows());
    std::copy_n(row.begin() + first, cols, out.row(t).begin());
  }
  return out;
}

} // namespace ds4::reference
