// Weights that exist nowhere: valid blocks of the right formats, drawn from a pool each. For measuring plans of models whose
// files are not at hand.
#pragma once

#include <map>
#include <string>

#include "runtime/Weights.h"

namespace ds4 {

// Vectors are ones, tables of ids cycle through the experts, matrices repeat a pool that starts elsewhere for every tensor.
// Activations stay finite; text is nonsense.
class GeneratedWeights : public WeightSource {
public:
  GeneratedWeights(const Plan &plan, uint64_t seed);
  void read(const PlanWeight &weight, uint64_t offset, std::span<std::byte> out) const override;
  void readLevels(const PlanWeight &weight, std::span<MixLevels> out) override;

private:
  std::map<std::string, std::vector<std::byte>> pools_; // by format
  int experts_ = 1;
};

} // namespace ds4
