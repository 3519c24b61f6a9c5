#include "runtime/Weights.h"

#include "support/Error.h"

namespace ds4 {

void WeightSource::readLevels(const PlanWeight &weight, std::span<MixLevels>) {
  userError("no codebooks for '{}': weights of format {} come from model files alone", weight.name, weight.format);
}

FileWeights::FileWeights(const gguf::Reader &model) : model_(model), codebooks_(readMixCodebooks(model)) {
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

uint64_t FileWeights::pieceBytes(const PlanWeight &) const { return uint64_t(16) << 20; }

void FileWeights::read(const PlanWeight &weight, uint64_t offset, std::span<std::byte> out) const {
  fileOf(weight).read(weight.offset + offset, out);
}

void FileWeights::readLevels(const PlanWeight &weight, std::span<MixLevels> out) {
  const Format &format = *findFormatByName(weight.format);
  const MixEntry &entry = requireMixEntry(codebooks_, model_, weight.name, format);
  if (weight.shape.size() == 3 && entry.slices.size() != out.size())
    userError("'{}': codebooks for {} slices of '{}', the plan has {}: compile the plan again from this file", model_.path(),
              entry.slices.size(), weight.name, out.size());
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = deviceLevels(format, entry.slices[i]);
}

} // namespace ds4
