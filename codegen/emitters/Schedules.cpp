#include "codegen/emitters/Schedules.h"

#include <fmt/format.h>

namespace ds4 {

std::vector<Schedule> columnSchedules(int most) {
  std::vector<Schedule> schedules;
  for (int columns = 1; most > 1 && columns <= most; columns *= 2) {
    StepRange tokens{.value = StepExpr::q(), .least = columns / 2 + 1};
    if (columns < most)
      tokens.most = columns;
    schedules.push_back({.name = "columns",
                         .value = columns,
                         .guard = {{tokens}},
                         .reason = columns == 1 ? "one token: the kernel with the fewest registers"
                                                : fmt::format("weights are read and decoded once for up to {} tokens", columns)});
  }
  return schedules;
}

} // namespace ds4
