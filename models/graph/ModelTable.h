// What the compiler needs of a model: its description and its weights by name, wherever their bytes come from.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "models/DrafterModel.h"
#include "models/Model.h"

namespace ds4 {

class ModelTable {
public:
  // A model file's. The table is a copy and does not keep the file open.
  explicit ModelTable(const Model &model) : ModelTable(model.description(), model.weights(), model.fingerprint()) {}
  // With a drafter's, whose shards are counted on from the model's.
  ModelTable(const Model &model, const DrafterModel &drafter);
  // Weights without a file, for layers of generated numbers.
  ModelTable(ModelDescription description, std::vector<Weight> weights, std::string fingerprint);

  const ModelDescription &description() const { return description_; }
  const std::string &fingerprint() const { return fingerprint_; }
  // nullptr without one.
  const DrafterDescription *drafter() const { return drafter_ ? &*drafter_ : nullptr; }
  // Of the drafter's file; empty without one.
  const std::string &drafterFingerprint() const { return drafterFingerprint_; }
  bool has(std::string_view canonicalName) const { return indexOf_.contains(std::string(canonicalName)); }
  // Throws ds4::Error (Internal) when the table has no such weight: the description promised it.
  const Weight &weight(std::string_view canonicalName) const;

private:
  ModelDescription description_;
  std::vector<Weight> weights_;
  std::unordered_map<std::string, size_t> indexOf_;
  std::string fingerprint_;
  std::optional<DrafterDescription> drafter_;
  std::string drafterFingerprint_;
};

} // namespace ds4
