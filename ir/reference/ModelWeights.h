// A model file's weights, decoded for the interpreter: read on first use and kept.
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "models/DrafterModel.h"
#include "models/Model.h"

namespace ds4::reference {

class ModelWeights {
public:
  // `model` and `drafter` must outlive the weights.
  explicit ModelWeights(const Model &model, const DrafterModel *drafter = nullptr) : model_(model), drafter_(drafter) {}
  // Every value of the weight, row-major; valid while this object lives. A drafter's names begin with prefixOf() its kind. Throws
  // ds4::Error (User) when the files lack it.
  std::span<const float> operator()(const std::string &name);

private:
  const ds4::Weight *findInDrafter(const std::string &name) const;

  const Model &model_;
  const DrafterModel *drafter_;
  std::unordered_map<std::string, std::vector<float>> decoded_;
};

} // namespace ds4::reference
