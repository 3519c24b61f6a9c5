// Runs prompts of the model goldens and compares logits, streams, choices and greedy tokens.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "models/ModelDescription.h"
#include "tools/ds4-golden/ModelGoldens.h"
#include "tools/ds4-golden/Report.h"
#include "tools/ds4-golden/StepRunner.h"

namespace ds4::golden {

struct ModelCheckOptions {
  int width = 8;                                 // tokens of a step while the prompt is fed, at most the runner's
  bool exact = true;                             // rows are f32: all limits apply; else only the mean divergence has one
  std::string label = "all cases";               // subject of the mean divergence
  std::function<void(const ModelCase &)> onCase; // called before each case
};

// The runner's step function must return the values of GraphOptions::taps. Each case starts from reset states and is
// fed its prompt, then the expected greedy tokens one by one. Adds a row to the report for each compared value, and one
// for the mean divergence of all cases.
void checkModel(StepRunner &runner, const ModelDescription &model, const std::vector<ModelCase> &cases,
                const ModelCheckOptions &options, Report &report);

} // namespace ds4::golden
