#include "ir/reference/Reference.h"

namespace ds4::reference {

Tensor maskedAttention(const Tensor &q, const State &window, const Weight &sinks, int64_t pos, const AttendOptions &options,
                       std::span<const float> frequencies) {
  return rope(attend(q, window, sinks, pos, options), pos, frequencies, /*inverse=*/true);
}

} // namespace ds4::reference
