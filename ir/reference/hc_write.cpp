#include "ir/reference/Math.h"
#include "ir/reference/Reference.h"

namespace ds4::reference {

Tensor hcWrite(const Tensor &y, const Tensor &streams, const Tensor &post, const Tensor &comb) {
  int64_t tokens = streams.tokens(), streamCount = streams.shape[1], width = streams.columns();
  require(y.columns() == width && post.columns() == streamCount && comb.columns() == streamCount, "hc_write: shapes agree");
  Tensor out(streams.shape);
  for (int64_t t = 0; t < tokens; ++t)
    for (int64_t k = 0; k < streamCount; ++k)
      for (int64_t d = 0; d < width; ++d) {
        double sum = post.row(t)[k] * y.row(t)[d];
        for (int64_t j = 0; j < streamCount; ++j)
          sum += comb.row(t * streamCount + j)[k] * streams.row(t * streamCount + j)[d];
        out.row(t * streamCount + k)[d] = sum;
      }
  return out;
}

} // namespace ds4::reference
