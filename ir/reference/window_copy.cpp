#include <algorithm>

#include "ir/reference/Reference.h"

namespace ds4::reference {

void windowCopy(State &to, const State &from, int64_t pos, int64_t window) {
  for (int64_t position = std::max<int64_t>(pos - window, 0); position < pos; ++position)
    to.storeRow(position % to.rows(), from.row(position % from.rows()));
}

} // namespace ds4::reference
