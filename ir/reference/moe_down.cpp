#include "ir/reference/Reference.h"

namespace ds4::reference {

Tensor moeDown(const Tensor &h, const Tensor &ids, const Tensor &weights, const Weight &down, const Tensor &hs, const Weight &shared) {
  return add(combine(expertLinear(h, ids, down), weights), linear(hs, shared));
}

} // namespace ds4::reference
