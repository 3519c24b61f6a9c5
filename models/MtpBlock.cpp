#include "models/MtpBlock.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "models/DescriptionFields.h"
#include "models/Names.h"

namespace ds4 {

namespace {

constexpr std::string_view kBlocks = "blk.", kOfBlock = "nextn.", kDotOfBlock = ".nextn.";

// Behind "blk.N.nextn."; those of the head are named as a model's.
struct Name {
  std::string_view inFile, canonical;
};
constexpr Name kNames[] = {
    {"shared_head_norm.weight", "output_norm.weight"},
    {"hc_head_fn.weight", "output_hc_fn.weight"},
    {"hc_head_fn", "output_hc_fn.weight"},
    {"hc_head_base.weight", "output_hc_base.weight"},
    {"hc_head_base", "output_hc_base.weight"},
    {"hc_head_scale.weight", "output_hc_scale.weight"},
    {"hc_head_scale", "output_hc_scale.weight"},
};

std::vector<ExpectedTensor> projections(const ModelDescription &block, bool joined) {
  const int64_t width = block.width;
  std::vector<ExpectedTensor> all;
  for (const char *norm : {"enorm.weight", "hnorm.weight"})
    all.push_back({norm, {width}, WeightRole::Vector, {}});
  if (joined)
    all.push_back({"eh_proj.weight", {width, 2 * width}, WeightRole::Matrix, {}});
  else
    for (const char *projection : {"e_proj.weight", "h_proj.weight"})
      all.push_back({projection, {width, width}, WeightRole::Matrix, {}});
  return all;
}

bool isOfHead(const ExpectedTensor &tensor) { return tensor.name.starts_with("output_"); }
bool isModels(const ExpectedTensor &tensor) { return tensor.name == "token_embd.weight" || tensor.name == "output.weight"; }

ModelDescription oneBlock(ModelDescription model, float clamp, float sharedClamp) {
  model.blocks = 1;
  model.ratios = {0};
  model.hashLayers = 0;
  model.clamps = {clamp}, model.sharedClamps = {sharedClamp};
  return model;
}

} // namespace

std::optional<uint32_t> findMtpBlock(const gguf::Reader &file) {
  std::optional<uint32_t> first;
  for (const gguf::TensorInfo &tensor : file.tensors()) {
    if (!tensor.name.starts_with(kBlocks))
      continue;
    uint32_t block = 0;
    const char *digits = tensor.name.data() + kBlocks.size(), *end = tensor.name.data() + tensor.name.size();
    const auto [dot, error] = std::from_chars(digits, end, block);
    if (error == std::errc() && std::string_view(dot, end).starts_with(kDotOfBlock))
      first = std::min(first.value_or(block), block);
  }
  return first;
}

ModelDescription describeMtpBlock(const gguf::Reader &file, uint32_t block, const ModelDescription &target) {
  // Where the file's list has no entry for the block it is as the model's last one.
  const auto clamp = [&](std::string_view key, float usual) {
    const gguf::Entry *entry = file.find(key);
    if (!entry || entry->type != gguf::ValueType::Array)
      return usual;
    const std::vector<double> values = file.readFloatArray(key);
    return block < values.size() ? static_cast<float>(values[block]) : usual;
  };
  return oneBlock(target, clamp(kClampsKey, target.clamps.back()), clamp(kSharedClampsKey, target.sharedClamps.back()));
}

std::string canonicalMtpTensorName(std::string_view name, uint32_t block) {
  const std::string canonical = canonicalTensorName(name), prefix = fmt::format("{}{}.", kBlocks, block);
  if (!canonical.starts_with(prefix))
    return "model." + canonical;
  std::string_view rest = std::string_view(canonical).substr(prefix.size());
  if (!rest.starts_with(kOfBlock))
    return fmt::format("{}0.{}", kBlocks, rest);
  rest.remove_prefix(kOfBlock.size());
  const auto *known = std::ranges::find(kNames, rest, &Name::inFile);
  return std::string(known == std::end(kNames) ? rest : known->canonical);
}

std::vector<ExpectedTensor> mtpTensors(const ModelDescription &model) {
  const ModelDescription block = oneBlock(model, model.clamps.back(), model.sharedClamps.back());
  const std::string prefix = fmt::format("{}{}.", kBlocks, model.blocks);
  std::vector<ExpectedTensor> all = block.tensors(), front = projections(block, /*joined=*/false);
  std::erase_if(all, isModels);
  for (ExpectedTensor &tensor : all)
    if (tensor.name.starts_with(kBlocks))
      tensor.name.replace(0, kBlocks.size() + 2, prefix); // "blk.0."
    else
      tensor.name = fmt::format("{}{}{}", prefix, kOfBlock, std::ranges::find(kNames, tensor.name, &Name::canonical)->inFile);
  for (ExpectedTensor &tensor : front)
    tensor.name.insert(0, fmt::format("{}{}", prefix, kOfBlock));
  all.insert(all.end(), front.begin(), front.end());
  return all;
}

std::vector<ExpectedTensor> expectedMtpTensors(const ModelDescription &block, const std::function<bool(std::string_view)> &has) {
  std::vector<ExpectedTensor> all = block.tensors();
  // A part of a head is no head: of what is there at all everything is wanted.
  const bool head = has("output_hc_fn.weight") || has("output_hc_base.weight") || has("output_hc_scale.weight");
  std::erase_if(all, [&](const ExpectedTensor &tensor) {
    return isModels(tensor) || (isOfHead(tensor) && !(tensor.name == "output_norm.weight" ? has(tensor.name) : head));
  });
  const std::vector<ExpectedTensor> front = projections(block, has("eh_proj.weight"));
  all.insert(all.end(), front.begin(), front.end());
  return all;
}

} // namespace ds4
