// Compares a drafter with expected values: what the target's step leaves for it, and what it drafts.
#pragma once

#include <functional>

#include "models/DrafterModel.h"
#include "tools/ds4-golden/DraftGoldens.h"
#include "tools/ds4-golden/Report.h"
#include "tools/ds4-golden/StepRunner.h"

namespace ds4::golden {

struct DraftCheckOptions {
  int width = 8;                                      // tokens of the target's steps
  std::function<void(const DraftCase &)> onCase = {}; // before each
};

// `target` runs the model's step with the drafter's rings, `draft` the draft function, both with taps. Rings are carried from one
// to the other, so the two may be anywhere. A draft whose gap is below 2e-3 may differ, and with it the rest of its chain.
void checkDrafter(StepRunner &target, StepRunner &draft, const DrafterDescription &drafter, const std::vector<DraftCase> &cases,
                  const DraftCheckOptions &options, Report &report);

} // namespace ds4::golden
