#include "codegen/emitters/Schedules.h"

#include <algorithm>

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

std::vector<Schedule> expertSchedules(int most) {
  if (most < 2)
    return {};
  return {{.name = "columns",
           .value = 1,
           .guard = {{{.value = StepExpr::q(), .most = 1}}},
           .reason = "one token, whose experts nothing else reads"},
          {.name = "columns",
           .value = most,
           .guard = {{{.value = StepExpr::q(), .least = 2}}},
           .reason = fmt::format("an expert's weights are read and decoded once for up to {} tokens that chose it", most)}};
}

std::vector<Schedule> attentionSchedules(int window, int ratio, int picks) {
  if (ratio && !picks)
    return {}; // all visible rows, however many
  // From there on the first token of a step, which sees least, sees a full window and as many rows as are picked.
  const int64_t full = std::max(window, ratio * picks) - 1;
  const StepRange before{.value = StepExpr::pos(), .most = full - 1};
  const Schedule direct{.name = "direct_visible",
                        .guard = {{{.value = StepExpr::pos(), .least = full}}},
                        .reason = "every row that is looked at is known to be visible: nothing is masked"};
  if (!ratio)
    return {direct, {.name = "masked", .guard = {{before}}, .reason = "the window is not full yet"}};
  const StepExpr rows = (StepExpr::pos() + StepExpr::q()).floorDiv(ratio); // that the last token sees
  return {direct,
          {.name = "masked",
           .guard = {{before, {.value = rows, .most = picks}}},
           .reason = fmt::format("all visible rows are picked, {} at most: the list of picks is not read", picks)},
          {.name = "selected",
           .guard = {{before, {.value = rows, .least = picks + 1}}},
           .reason = fmt::format("tokens on both sides of {} visible rows", picks)}};
}

} // namespace ds4
