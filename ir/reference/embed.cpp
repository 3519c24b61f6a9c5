#include <algorithm>

#include "ir/reference/Math.h"
#include "ir/reference/Reference.h"

namespace ds4::reference {

Tensor embed(const Tensor &tokens, const Weight &table, int64_t streams) {
  Tensor out({tokens.tokens(), streams, table.columns()});
  for (int64_t t = 0; t < tokens.tokens(); ++t) {
    int64_t id = static_cast<int64_t>(tokens.values[t]);
    require(id >= 0 && id < table.rows(), "embed: token ids are rows of the table");
    for (int64_t s = 0; s < streams; ++s)
      std::ranges::copy(table.row(id), out.row(t * streams + s).begin());
  }
  return out;
}

} // namespace ds4::reference
