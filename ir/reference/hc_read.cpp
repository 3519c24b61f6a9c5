#include "ir/reference/Math.h"
#include "ir/reference/Reference.h"

namespace ds4::reference {

Tensor hcRead(const Tensor &streams, const Tensor &pre) {
  int64_t tokens = streams.tokens(), streamCount = streams.shape[1], width = streams.columns();
  require(pre.columns() == streamCount && pre.tokens() == tokens, "hc_read: one coefficient a stream");
  Tensor out({tokens, width});
  for (int64_t t = 0; t < tokens; ++t)
    for (int64_t i = 0; i < streamCount; ++i)
      for (int64_t d = 0; d < width; ++d)
        out.row(t)[d] += pre.row(t)[i] * streams.row(t * streamCount + i)[d];
  return out;
}

} // namespace ds4::reference
