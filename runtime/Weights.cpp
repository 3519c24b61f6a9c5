#include "runtime/Weights.h"

#include "models/TypeMeaning.h"
#include "support/Error.h"

namespace ds4 {

WeightFormat rocmFp2Of(const Plan &plan) {
  for (const PlanWeight &weight : plan.weights)
    if (const Format *format = findFormatByName(weight.format); format && hasSeveralMeanings(format->id))
      return format->id;
  return WeightFormat::RocmFp2;
}

Model openModel(const Plan &plan, std::string_view planPath, const std::string &path) {
  Model model = Model::open(path, rocmFp2Of(plan));
  if (plan.modelFingerprint != model.fingerprint())
    userError("plan '{}' was compiled from another model than '{}': compile it again from these weights", planPath, path);
  return model;
}

void WeightSource::readLevels(const PlanWeight &weight, std::span<MixLevels>) {
  userError("no codebooks for '{}': weights of format {} come from model files alone", weight.name, weight.format);
}

FileWeights::FileWeights(const gguf::Reader &model) : model_(model), scales_(model) {
  for (const File &shard : model.shards())
    shards_.emplace_back(shard.path());
  for (const gguf::TensorInfo &tensor : model.tensors())
    tensorAt_.emplace(std::pair(tensor.shard, tensor.offset), &tensor);
}

const File &FileWeights::fileOf(const PlanWeight &weight) const {
  if (weight.shard >= shards_.size())
    userError("weight '{}' lies in file {} of the model, which has {}: compile the plan again from these files", weight.name,
              uint64_t(weight.shard) + 1, shards_.size());
  return shards_[weight.shard];
}

void FileWeights::check(const Plan &plan) const {
  if (plan.draft)
    userError("the plan was compiled with a drafter: name the drafter's file, too (ds4-run --drafter-weights)");
  for (const PlanWeight &weight : plan.weights)
    check(weight);
}

void FileWeights::check(const PlanWeight &weight) const {
  fileOf(weight).checkRange(weight.offset, weight.bytes);
  tensorOf(weight);
}

uint64_t FileWeights::pieceBytes(const PlanWeight &) const { return uint64_t(16) << 20; }

const gguf::TensorInfo &FileWeights::tensorOf(const PlanWeight &weight) const {
  const auto found = tensorAt_.find({weight.shard, weight.offset});
  if (found == tensorAt_.end() || found->second->bytes != weight.bytes || found->second->format->name != weight.format)
    userError("weight '{}' of the plan is no tensor of the model: compile the plan again from these files", weight.name);
  return *found->second;
}

void FileWeights::read(const PlanWeight &weight, uint64_t offset, std::span<std::byte> out) const {
  fileOf(weight).read(weight.offset + offset, out);
  checkPiece(weight, offset, out);
}

void FileWeights::checkPiece(const PlanWeight &weight, uint64_t offset, std::span<const std::byte> bytes) const {
  scales_.check(tensorOf(weight), offset, bytes);
}

void FileWeights::readLevels(const PlanWeight &weight, std::span<MixLevels> out) {
  const Format &format = *findFormatByName(weight.format);
  const MixEntry &entry = requireMixEntry(scales_.codebooks(), model_, weight.name, format);
  if (weight.shape.size() == 3 && entry.slices.size() != out.size())
    userError("'{}': codebooks for {} slices of '{}', the plan has {}: compile the plan again from this file", model_.path(),
              entry.slices.size(), weight.name, out.size());
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = deviceLevels(format, entry.slices[i]);
}

} // namespace ds4
