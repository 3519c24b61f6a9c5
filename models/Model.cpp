#include "models/Model.h"

#include <algorithm>

#include <fmt/ranges.h>

#include "models/DescriptionFields.h"
#include "models/GgufDescription.h"
#include "models/Names.h"
#include "models/TypeMeaning.h"
#include "models/WeightCheck.h"
#include "support/Error.h"
#include "support/Sha256.h"

namespace ds4 {

namespace {

// "a, b and 3 more"
std::string listed(const std::vector<std::string> &names) {
  constexpr size_t kListed = 20;
  const size_t shown = std::min(names.size(), kListed);
  std::string text = fmt::format("{}", fmt::join(names.begin(), names.begin() + static_cast<ptrdiff_t>(shown), ", "));
  return names.size() > shown ? text + fmt::format(" and {} more", names.size() - shown) : text;
}

// Row-major, without the ones that some writers put behind the dimensions.
std::vector<int64_t> shapeOf(const gguf::TensorInfo &tensor, size_t rank) {
  std::vector<int64_t> shape(tensor.dims.rbegin(), tensor.dims.rend());
  while (shape.size() > rank && shape.front() == 1)
    shape.erase(shape.begin());
  return shape;
}

struct Faults {
  std::vector<std::string> missingKeys, missingTensors, shapes, formats;

  std::vector<std::string> toText() const {
    std::vector<std::string> parts;
    auto add = [&](std::string_view kind, const std::vector<std::string> &names) {
      if (!names.empty())
        parts.push_back(fmt::format("{} {}", kind, listed(names)));
    };
    add("missing keys", missingKeys);
    add("missing tensors", missingTensors);
    add("wrong shapes", shapes);
    add("wrong formats", formats);
    return parts;
  }
};

// Canonical name -> tensor of the file. Throws when two tensors of the file are one tensor of the model.
std::unordered_map<std::string, const gguf::TensorInfo *> canonicalTensors(const gguf::Reader &file) {
  std::unordered_map<std::string, const gguf::TensorInfo *> tensors;
  for (const gguf::TensorInfo &tensor : file.tensors()) {
    const auto [at, inserted] = tensors.emplace(canonicalTensorName(tensor.name), &tensor);
    if (!inserted)
      userError("'{}': the tensors {} and {} both stand for '{}': keep one of them", file.path(), gguf::quoteName(at->second->name),
                gguf::quoteName(tensor.name), at->first);
  }
  return tensors;
}

// Fills in the kinds of blocks from the tensors that are there, so that a file without the keys that tell them is still
// checked for the rest.
ModelDescription withKindsFrom(const std::unordered_map<std::string, const gguf::TensorInfo *> &tensors, ModelDescription model,
                               const std::vector<std::string> &missingKeys) {
  auto lacks = [&](std::string_view key) { return std::ranges::find(missingKeys, key) != missingKeys.end(); };
  auto has = [&](uint32_t block, std::string_view name) { return tensors.contains(fmt::format("blk.{}.{}", block, name)); };
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
  model.fingerprint_ = model.computeFingerprint();
  return model;
}

void Model::resolve() {
  GgufDescription described = describeGguf(file_);
  description_ = std::move(described.model);
  auto present = canonicalTensors(file_);
  Faults faults;
  faults.missingKeys = std::move(described.missingKeys);

  for (ExpectedTensor &expected : withKindsFrom(present, description_, faults.missingKeys).tensors()) {
    const auto found = present.extract(expected.name);
    if (!found) {
      faults.missingTensors.push_back(expected.name);
      continue;
    }
    const gguf::TensorInfo &tensor = *found.mapped();
    // A zero comes from a missing key: the shape is unknown.
    const bool known = std::ranges::find(expected.shape, 0) == expected.shape.end();
    const bool fits = shapeOf(tensor, expected.shape.size()) == expected.shape ||
                      (!expected.splitShape.empty() && shapeOf(tensor, expected.splitShape.size()) == expected.splitShape);
    if (known && !fits)
      faults.shapes.push_back(
          fmt::format("{} {} (wanted {})", expected.name, shapeOf(tensor, expected.shape.size()), expected.shape));
    if (!roleAllows(expected.role, tensor.format->id))
      faults.formats.push_back(fmt::format("{} {}", expected.name, tensor.format->name));
    weightOf_.emplace(expected.name, weights_.size());
    weights_.push_back({std::move(expected.name), expected.role, tensor.format, std::move(expected.shape), tensor.shard,
                        tensor.offset, tensor.bytes});
  }
  if (const auto parts = faults.toText(); !parts.empty())
    userError("'{}' is no complete DS4 model: {}: convert or fetch it again", file_.path(), fmt::join(parts, "; "));

  if (std::ranges::any_of(weights_, [](const Weight &weight) { return isMix(*weight.format); })) {
    const MixCodebooks codebooks = readMixCodebooks(file_);
    for (const gguf::TensorInfo &tensor : file_.tensors())
      if (isMix(*tensor.format) && find(canonicalTensorName(tensor.name)))
        MixSlices::of(file_, codebooks, tensor);
  }

  if (!described.assumedKeys.empty())
    warnings_.push_back(
        fmt::format("'{}' lacks {}: known values of this model are used", file_.path(), listed(described.assumedKeys)));
  std::vector<std::string> unused;
  for (const gguf::TensorInfo &tensor : file_.tensors())
    if (present.contains(canonicalTensorName(tensor.name)))
      unused.push_back(gguf::quoteName(tensor.name));
  if (!unused.empty())
    warnings_.push_back(fmt::format("'{}' has tensors that are not used: {}", file_.path(), listed(unused)));
}

const Weight *Model::find(std::string_view canonicalName) const {
  const auto found = weightOf_.find(std::string(canonicalName));
  return found == weightOf_.end() ? nullptr : &weights_[found->second];
}

std::string Model::computeFingerprint() const {
  Sha256 hash;
  hash.updateField(description_.toText());
  for (const Weight &weight : weights_)
    hash.updateField(fmt::format("{} {} {} {} {} {}", weight.name, weight.format->name, weight.shape, weight.shard, weight.offset,
                                 weight.bytes));
  return hash.finish();
}

} // namespace ds4
