#include "runtime/Weights.h"

#include "support/Error.h"

namespace ds4 {

FileWeights::FileWeights(const gguf::Reader &model) {
  for (const File &shard : model.shards())
    shards_.emplace_back(shard.path());
}

void FileWeights::read(const PlanWeight &weight, std::span<std::byte> out) {
  if (weight.shard >= shards_.size())
    userError("weight '{}' lies in file {} of the model, which has {}: compile the plan again from these files", weight.name,
              weight.shard + 1, shards_.size());
  shards_[weight.shard].read(weight.offset, out);
}

} // namespace ds4
