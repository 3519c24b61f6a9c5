#include "codegen/emitters/Schedules.h"

#include <algorithm>
#include <optional>
#include <utility>

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
  constexpr int kBlockRows = 32; // masked_attention.h
  // All visible rows, however many; and part of a block is masked even when the window is full.
  const bool hasDirect = window % kBlockRows == 0;
  if (ratio ? !picks : !hasDirect)
    return {};
  // From there on the first token of a step, which sees least, sees a full window and as many rows as are picked.
  const int64_t full = std::max(window, ratio * picks) - 1;
  const StepRange before{.value = StepExpr::pos(), .most = full - 1};
  std::vector<Schedule> schedules;
  if (hasDirect)
    schedules.push_back({.name = "direct_visible",
                         .guard = {{{.value = StepExpr::pos(), .least = full}}},
                         .reason = "every row that is looked at is known to be visible: nothing is masked"});
  const auto otherwise = [&](std::string name, std::optional<StepRange> visible, std::string reason) {
    Schedule schedule{.name = std::move(name), .reason = std::move(reason)};
    if (hasDirect)
      schedule.guard.ranges.push_back(before);
    if (visible)
      schedule.guard.ranges.push_back(*visible);
    schedules.push_back(std::move(schedule));
  };
  if (!ratio) {
    otherwise("masked", {}, "the window is not full yet");
    return schedules;
  }
  const StepExpr rows = (StepExpr::pos() + StepExpr::q()).floorDiv(ratio); // that the last token sees
  otherwise("masked", StepRange{.value = rows, .most = picks},
            fmt::format("all visible rows are picked, {} at most: the list of picks is not read", picks));
  otherwise("selected", StepRange{.value = rows, .least = picks + 1},
            fmt::format("tokens on both sides of {} visible rows", picks));
  return schedules;
}

} // namespace ds4
