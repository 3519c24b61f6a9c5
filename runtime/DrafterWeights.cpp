#include "runtime/DrafterWeights.h"

#include "support/Error.h"

namespace ds4 {

DrafterModel openDrafter(const Plan &plan, std::string_view planPath, const Model &model, const std::string &path) {
  if (!plan.draft)
    userError("plan '{}' has no drafter: leave out '{}', or compile the plan with --drafter", planPath, path);
  DrafterModel drafter = DrafterModel::open(path, model, rocmFp2Of(plan));
  if (plan.drafterFingerprint != drafter.fingerprint())
    userError("plan '{}' was compiled with another drafter than '{}': compile it again with this one", planPath, path);
  return drafter;
}

std::unique_ptr<WeightSource> openWeights(const Plan &plan, const Model &model, const DrafterModel *drafter) {
  const auto checked = [&](auto weights) -> std::unique_ptr<WeightSource> {
    weights->check(plan);
    return weights;
  };
  return drafter ? checked(std::make_unique<DrafterWeights>(model, *drafter))
                 : checked(std::make_unique<FileWeights>(model.file()));
}

DrafterWeights::DrafterWeights(const Model &model, const DrafterModel &drafter)
    : model_(model.file()), drafter_(drafter.file()), modelShards_(static_cast<uint32_t>(model.file().shards().size())) {}

PlanWeight DrafterWeights::inDrafter(PlanWeight weight) const {
  weight.shard -= modelShards_;
  return weight;
}

void DrafterWeights::check(const Plan &plan) const {
  for (const PlanWeight &weight : plan.weights)
    isModels(weight) ? model_.check(weight) : drafter_.check(inDrafter(weight));
  if (plan.draft)
    check(*plan.draft);
}

void DrafterWeights::read(const PlanWeight &weight, uint64_t offset, std::span<std::byte> out) const {
  isModels(weight) ? model_.read(weight, offset, out) : drafter_.read(inDrafter(weight), offset, out);
}

} // namespace ds4
