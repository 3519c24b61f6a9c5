// A model file's weights, decoded for the interpreter: read on first use and kept.
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "models/Model.h"

namespace ds4::reference {

class ModelWeights {
public:
  // `model` must outlive the weights.
  explicit ModelWeights(const Model &model) : model_(model) {}
  // Every value of the weight, row-major; valid while this object lives. Throws ds4::Error (User) when the file lacks it.
  std::span<const float> operator()(const std::string &name);

private:
  const Model &model_;
  std::unordered_map<std::string, std::vector<float>> decoded_;
};

} // namespace ds4::reference
