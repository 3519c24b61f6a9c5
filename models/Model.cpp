#include "models/Model.h"

#include <algorithm>

#include <fmt/ranges.h>

#include "models/DescriptionFields.h"
#include "models/GgufDescription.h"
#include "models/MtpBlock.h"
#include "models/Names.h"
#include "models/TensorMatch.h"
#include "models/TypeMeaning.h"
#include "models/WeightCheck.h"
#include "support/Error.h"
#include "support/Sha256.h"

namespace ds4 {

namespace {

// Fills in the kinds of blocks from the tensors that are there, so that a file without the keys that tell them is still
// checked for the rest.
ModelDescription withKindsFrom(const TensorMatch &tensors, ModelDescription model, const std::vector<std::string> &missingKeys) {
  auto lacks = [&](std::string_view key) { return std::ranges::find(missingKeys, key) != missingKeys.end(); };
  auto has = [&](uint32_t block, std::string_view name) { return tensors.has(fmt::format("blk.{}.{}", block, name)); };
  if (lacks(kRatiosKey))
    for (uint32_t block = 0; block < model.blocks; ++block)
      model.ratios.push_back(has(block, "indexer.proj.weight") ? 4 : has(block, "attn_compressor_kv.weight") ? 128 : 0);
  if (lacks(kHashLayersKey))
    while (model.hashLayers < model.blocks && has(model.hashLayers, "ffn_gate_tid2eid.weight"))
      ++model.hashLayers;
  return model;
}

} // namespace

Model Model::open(const std::string &path, std::optional<WeightFormat> rocmFp2) {
  Model model(gguf::Reader::open(path, rocmFp2.value_or(WeightFormat::RocmFp2)));
  model.resolve();
  if (std::string warning = warnOfTypeMeaning(model.file_, rocmFp2); !warning.empty())
    model.warnings_.push_back(std::move(warning));
  model.fingerprint_ = fingerprintOf(model.description_.toText(), model.weights_);
  return model;
}

void Model::resolve() {
  GgufDescription described = describeGguf(file_);
  description_ = std::move(described.model);
  TensorMatch tensors(file_, canonicalTensorName);
  weights_ = tensors.match(withKindsFrom(tensors, description_, described.missingKeys).tensors());
  tensors.noteMissingKeys(std::move(described.missingKeys));
  tensors.refuseFaults("DS4 model");
  for (size_t i = 0; i < weights_.size(); ++i)
    weightOf_.emplace(weights_[i].name, i);

  if (std::ranges::any_of(weights_, [](const Weight &weight) { return isMix(*weight.format); })) {
    const MixCodebooks codebooks = readMixCodebooks(file_);
    for (const gguf::TensorInfo &tensor : file_.tensors())
      if (isMix(*tensor.format) && find(canonicalTensorName(tensor.name)))
        MixSlices::of(file_, codebooks, tensor);
  }

  if (!described.assumedKeys.empty())
    warnings_.push_back(
        fmt::format("'{}' lacks {}: known values of this model are used", file_.path(), listed(described.assumedKeys)));
  std::vector<std::string> unused = tensors.unused();
  if (const std::optional<uint32_t> block = findMtpBlock(file_))
    std::erase_if(unused, [prefix = fmt::format("'blk.{}.", *block)](const std::string &name) { return name.starts_with(prefix); });
  if (!unused.empty())
    warnings_.push_back(fmt::format("'{}' has tensors that are not used: {}", file_.path(), listed(unused)));
}

const Weight *Model::find(std::string_view canonicalName) const {
  const auto found = weightOf_.find(std::string(canonicalName));
  return found == weightOf_.end() ? nullptr : &weights_[found->second];
}

std::string fingerprintOf(const std::string &description, const std::vector<Weight> &weights) {
  Sha256 hash;
  hash.updateField(description);
  for (const Weight &weight : weights)
    hash.updateField(fmt::format("{} {} {} {} {} {}", weight.name, weight.format->name, weight.shape, weight.shard, weight.offset,
                                 weight.bytes));
  return hash.finish();
}

} // namespace ds4
