#include "runtime/Weights.h"

#include "support/Error.h"

namespace ds4 {

FileWeights::FileWeights(const gguf::Reader &model) {
  for (const File &shard : model.shards())
    shards_.emplace_back(shard.path());
}

const File &FileWeights::fileOf(const PlanWeight &weight) const {
  if (weight.shard >= shards_.size())
    userError("weight '{}' lies in file {} of the model, which has {}: compile the plan again from these files", weight.name,
              uint64_t(weight.shard) + 1, shards_.size());
  return shards_[weight.shard];
}

void FileWeights::check(const Plan &plan) const {
  for (const PlanWeight &weight : plan.weights)
    fileOf(weight).checkRange(weight.offset, weight.bytes);
}

void FileWeights::read(const PlanWeight &weight, std::span<std::byte> out) { fileOf(weight).read(weight.offset, out); }

} // namespace ds4
