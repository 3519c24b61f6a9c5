#include "ir/reference/Reference.h"

namespace ds4::reference {

Tensor streamMean(const Tensor &streams) {
  const int64_t count = streams.shape[1];
  Tensor out({streams.tokens(), streams.columns()});
  for (int64_t t = 0; t < out.tokens(); ++t)
    for (int64_t i = 0; i < count; ++i)
      for (int64_t d = 0; d < out.columns(); ++d)
        out.row(t)[d] += streams.row(t * count + i)[d] / static_cast<double>(count);
  return out;
}

} // namespace ds4::reference
