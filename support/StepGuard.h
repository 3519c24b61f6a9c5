// Which steps something is meant for: a conjunction of ranges of step expressions.
//
// A launch of a plan may have several variants, each with a guard; of all steps that the plan takes, exactly one guard holds
// (proven by ds4-check-guards). The runtime evaluates guards on the host, once a step.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "support/StepExpr.h"

namespace ds4 {

// least <= value <= most; a limit of the type's own says nothing.
struct StepRange {
  static constexpr int64_t kNoLeast = std::numeric_limits<int64_t>::min(), kNoMost = std::numeric_limits<int64_t>::max();
  StepExpr value;
  int64_t least = kNoLeast, most = kNoMost;

  bool operator==(const StepRange &) const = default;
};

struct StepGuard {
  std::vector<StepRange> ranges; // none: holds always

  // Throws ds4::Error (User) where an expression has no value, such as a division by zero.
  bool holds(int64_t pos, int64_t q) const;
  // "q = 1", "2 <= q <= 4 and (pos + q) floordiv 4 >= 512", "always".
  std::string toString() const;
  bool operator==(const StepGuard &) const = default;
};

} // namespace ds4
