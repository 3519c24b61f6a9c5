// A target and its drafter, loaded from a plan that the build compiled: on the simulator, or on the device named by
// DS4C_TEST_DEVICE (the plan must then be for that).
#pragma once

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "runtime/DrafterWeights.h"
#include "runtime/Session.h"
#include "runtime/plan/PlanFile.h"
#include "runtime/speculation/PlanDrafter.h"

namespace ds4 {

struct DraftingModel {
  std::unique_ptr<Executor> target;
  std::unique_ptr<Drafter> drafter;

  static DraftingModel load(const std::string &modelPath, const std::string &drafterPath, const std::string &planPath) {
    const char *device = std::getenv("DS4C_TEST_DEVICE");
    Plan plan = readPlanFile(planPath);
    const Model model = openModel(plan, planPath, modelPath);
    const DrafterModel drafterModel = openDrafter(plan, planPath, model, drafterPath);
    const std::unique_ptr<WeightSource> weights = openWeights(plan, model, &drafterModel);
    DraftingModel loaded;
    loaded.target = std::make_unique<Executor>(hip::openProvider(device ? device : "sim"), std::move(plan), *weights);
    loaded.drafter = makePlanDrafter(*loaded.target, *weights);
    return loaded;
  }
};

// A drafter that several speculations use, one after another.
class BorrowedDrafter : public Drafter {
public:
  explicit BorrowedDrafter(Drafter &drafter) : drafter_(drafter) {}
  Draft draft(std::span<const int32_t> context, int count) override { return drafter_.draft(context, count); }

private:
  Drafter &drafter_;
};

// Always the same width; keeps how many drafts each round accepted.
class RecordingWidth : public FixedWidth {
public:
  RecordingWidth(int width, std::vector<int> &accepted) : FixedWidth(width), accepted_(accepted) {}
  void observe(const Draft &, int accepted, int, double) override { accepted_.push_back(accepted - 1); }

private:
  std::vector<int> &accepted_;
};

} // namespace ds4
