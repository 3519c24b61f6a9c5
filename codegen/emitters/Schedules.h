// The ways to compute an op, each for the steps that suit it.
//
// A schedule has a guard over the step's scalars; those of one op are disjoint and leave no step out (ds4-check-guards proves
// it). What a schedule does with its `value` is for the op's emitter. docs/architecture.md, "Variants of a launch".
#pragma once

#include <string>
#include <vector>

#include "support/StepGuard.h"

namespace ds4 {

struct Schedule {
  std::string name; // "columns"
  int value = 0;    // tokens that share a decoded weight, for "columns"
  StepGuard guard;
  std::string reason;        // why it is the one to take there, for people
  bool reassociates = false; // adds in another order than the op's other schedules: its guard must not depend on q
};

// Products of which up to `most` tokens can share a decoded weight, a power of two (fastColumns()): as many columns as the step
// fills. Every number of columns gives the same bits. None where there is no choice.
std::vector<Schedule> columnSchedules(int most);

// A layer's experts, of which up to `most` tokens can share the weights: one token alone, or all tokens of a step together. Both
// give the same bits. None where there is no choice.
std::vector<Schedule> expertSchedules(int most);

// Attention over a window, compressed rows of which `ratio` positions make one (0: none), and `picks` of those where that is not 0
// (MaskedAttentionShape): no mask where all rows are known to be visible and the window has whole blocks; no picks where there are as many as visible rows. Every
// schedule gives the same bits.
std::vector<Schedule> attentionSchedules(int window, int ratio, int picks);

} // namespace ds4
