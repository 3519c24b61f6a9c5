#include "runtime/speculation/Speculation.h"

#include <fmt/format.h>

namespace ds4 {

Speculation::Speculation(std::unique_ptr<Drafter> drafter, std::unique_ptr<WidthControl> control)
    : drafter_(std::move(drafter)), control_(std::move(control)) {}

std::span<const int32_t> Speculation::propose(std::span<const int32_t> context, int most) {
  const int wanted = control_->wanted(most);
  draft_ = wanted > 1 ? drafter_->draft(context, wanted - 1) : Draft{};
  const size_t rows = draft_.tokens.empty() ? 1 : static_cast<size_t>(control_->rows(draft_));
  draft_.tokens.resize(rows - 1);
  return draft_.tokens;
}

void Speculation::settle(int accepted, double milliseconds) {
  const int rows = 1 + static_cast<int>(draft_.tokens.size());
  control_->observe(draft_, accepted + 1, rows, milliseconds);
  ++counts_.steps;
  ++counts_.stepsOfWidth[static_cast<size_t>(rows)];
  counts_.drafted += rows - 1;
  counts_.accepted += accepted;
}

std::string Speculation::describe() const {
  if (counts_.steps == 0)
    return "speculation: no steps";
  std::string line =
      fmt::format("speculation: {} steps, {:.2f} tokens a step, {} of {} drafts accepted; steps by rows:", counts_.steps,
                  1 + double(counts_.accepted) / double(counts_.steps), counts_.accepted, counts_.drafted);
  for (size_t rows = 1; rows < counts_.stepsOfWidth.size(); ++rows)
    line += fmt::format(" {}:{}", rows, counts_.stepsOfWidth[rows]);
  return line;
}

} // namespace ds4
