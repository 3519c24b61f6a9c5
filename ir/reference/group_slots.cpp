#include <algorithm>
#include <numeric>
#include <utility>

#include "ir/reference/Reference.h"

namespace ds4::reference {

SlotGroups groupSlots(const Tensor &ids, int64_t experts) {
  auto groupOf = [&](int64_t slot) {
    const double id = ids.values[slot];
    return id >= 0 && id < static_cast<double>(experts) ? static_cast<int64_t>(id) : experts;
  };
  std::vector<int64_t> order(ids.values.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](int64_t slot) { return std::pair(groupOf(slot), slot); });
  SlotGroups groups{Tensor(ids.shape, {order.begin(), order.end()}), Tensor({experts + 1})};
  for (int64_t expert = 0; expert <= experts; ++expert)
    groups.starts.values[expert] =
        static_cast<double>(std::ranges::count_if(order, [&](int64_t slot) { return groupOf(slot) < expert; }));
  return groups;
}

} // namespace ds4::reference
