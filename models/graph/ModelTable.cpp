#include "models/graph/ModelTable.h"

#include "support/Error.h"

namespace ds4 {

ModelTable::ModelTable(ModelDescription description, std::vector<Weight> weights, std::string fingerprint)
    : description_(std::move(description)), weights_(std::move(weights)), fingerprint_(std::move(fingerprint)) {
  for (size_t i = 0; i < weights_.size(); ++i)
    indexOf_[weights_[i].name] = i;
}

ModelTable::ModelTable(const Model &model, const DrafterModel &drafter) : ModelTable(model) {
  drafter_ = drafter.description();
  drafterFingerprint_ = drafter.fingerprint();
  for (Weight weight : drafter.weights()) {
    weight.shard += static_cast<uint32_t>(model.file().shards().size());
    indexOf_[weight.name] = weights_.size();
    weights_.push_back(std::move(weight));
  }
}

const Weight &ModelTable::weight(std::string_view canonicalName) const {
  auto at = indexOf_.find(std::string(canonicalName));
  if (at == indexOf_.end())
    internalError("model '{}' has no weight '{}'", description_.name, canonicalName);
  return weights_[at->second];
}

} // namespace ds4
