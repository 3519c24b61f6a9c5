// Counted cost of a whole decode step, run in the simulator: every distinct launch of a plan once, at its real size.
//
// Weights are patterns of valid blocks and states patterns of small numbers, so the model's file is not needed and no memory of
// its size; what a launch counts depends on shapes, not on values, but for the selection of rows and experts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/bench/CostModel.h"
#include "runtime/plan/Plan.h"

namespace ds4 {

// What one launch of the plan costs; zeros where its grid is empty at this step.
struct LaunchCost {
  double instructions = 0; // wave instructions, waits included
  double bytes = 0;        // distinct 64-byte lines read and written
  double longestWave = 0;  // instructions
  double tileProducts = 0; // of the instructions, those of the matrix unit
  double seconds = 0;      // predicted (CostModel.h)
};

// All launches of one place of the layers: "attn.out_a", whatever the block.
struct StepGroup {
  std::string place, kernel;     // kernel: the op that it implements
  int launches = 0, kernels = 0; // kernels: distinct ones
  LaunchCost cost;               // sums, but of the longest wave the greatest
  bool isProduct = false;        // reads a matrix of weights
};

struct StepCost {
  std::vector<LaunchCost> launches; // as in the plan
  std::vector<StepGroup> groups;    // in the order of the step
  StepGroup total() const;
  StepGroup withoutProducts() const; // all groups that read no matrix of weights
};

// Throws ds4::Error (User) for a step that is beyond the plan's context, or wider than its steps.
void checkStep(const Plan &plan, int64_t pos, int q);

// A step of q tokens at position pos. The plan's kernels must have code objects. Throws ds4::Error.
StepCost measureStep(const Plan &plan, int64_t pos, int q, const CostModel &model = {});

// A chunk of q tokens that begins at position pos, by a prefill function (Plan::prefill). Tokens have experts at random, each as
// often as any other. Throws the same.
StepCost measureChunk(const Plan &prefill, int64_t pos, int q, const CostModel &model = {});

} // namespace ds4
