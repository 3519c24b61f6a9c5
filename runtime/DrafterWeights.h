// The weights of a plan that has a drafter: they come from two models.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "models/DrafterModel.h"
#include "runtime/Weights.h"

namespace ds4 {

// The drafter that a plan was compiled with, for `model`, which the plan was compiled from. Throws ds4::Error (User) when the plan
// has none, or the file is another one.
DrafterModel openDrafter(const Plan &plan, std::string_view planPath, const Model &model, const std::string &path);

// The weights of a plan, checked: the model's, and its drafter's if it has one (`drafter` is then not null). Both must outlive
// them. Throws ds4::Error (User) when they are not all there.
std::unique_ptr<WeightSource> openWeights(const Plan &plan, const Model &model, const DrafterModel *drafter);

// Weights of the model and, in shards counted on from its own, of the drafter. Both must outlive this.
class DrafterWeights : public WeightSource {
public:
  DrafterWeights(const Model &model, const DrafterModel &drafter);
  // Throws ds4::Error (User) when a weight of the plan, or of its draft function, is no tensor of the files.
  void check(const Plan &plan) const;
  uint64_t pieceBytes(const PlanWeight &weight) const override { return model_.pieceBytes(weight); }
  void read(const PlanWeight &weight, uint64_t offset, std::span<std::byte> out) const override;
  void readLevels(const PlanWeight &weight, std::span<MixLevels> out) override { model_.readLevels(weight, out); }

private:
  bool isModels(const PlanWeight &weight) const { return weight.shard < modelShards_; }
  PlanWeight inDrafter(PlanWeight weight) const;

  FileWeights model_, drafter_;
  uint32_t modelShards_;
};

} // namespace ds4
