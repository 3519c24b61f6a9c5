#include "ir/reference/Reference.h"

namespace ds4::reference {

void windowAppend(State &window, const Tensor &rows, int64_t pos) {
  for (int64_t t = 0; t < rows.tokens(); ++t)
    window.storeRow((pos + t) % window.rows(), rows.row(t));
}

} // namespace ds4::reference
