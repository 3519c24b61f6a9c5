#include "support/StepGuard.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ds4 {

static std::string textOf(const StepRange &range) {
  const std::string value = range.value.toString();
  if (range.least == range.most)
    return fmt::format("{} = {}", value, range.least);
  if (range.least == StepRange::kNoLeast)
    return fmt::format("{} <= {}", value, range.most);
  if (range.most == StepRange::kNoMost)
    return fmt::format("{} >= {}", value, range.least);
  return fmt::format("{} <= {} <= {}", range.least, value, range.most);
}

bool StepGuard::holds(int64_t pos, int64_t q) const {
  return std::ranges::all_of(ranges, [&](const StepRange &range) {
    const int64_t value = range.value.evaluate(pos, q);
    return range.least <= value && value <= range.most;
  });
}

std::string StepGuard::toString() const {
  std::vector<std::string> texts;
  for (const StepRange &range : ranges)
    if (range.least != StepRange::kNoLeast || range.most != StepRange::kNoMost)
      texts.push_back(textOf(range));
  return texts.empty() ? "always" : fmt::format("{}", fmt::join(texts, " and "));
}

} // namespace ds4
