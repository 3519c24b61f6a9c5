#include "tools/ds4-golden/LayerGoldens.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "models/Names.h"
#include "support/Error.h"
#include "tools/ds4-golden/GoldenFile.h"

namespace ds4::golden {
namespace {

constexpr const char *kExpertTable = "blk.0.ffn_gate_tid2eid.weight";
constexpr SyntheticRange kInputRange{.amplitude = 1.5};

// Experts' gate and up rows are one tensor there, and two here.
const std::map<std::string, std::string> kExpertTensors{{"blk.0.ffn_gate_exps.weight", "mlp.experts.gate_up_proj"},
                                                        {"blk.0.ffn_up_exps.weight", "mlp.experts.gate_up_proj"},
                                                        {"blk.0.ffn_down_exps.weight", "mlp.experts.down_proj"}};

// The compressed rows of DS4's layers turn with a base of their own, which the configuration leaves at its default.
constexpr float kCompressRopeBase = 160000;

ModelDescription readConfig(const nlohmann::json &config) {
  const nlohmann::json &rope = config.at("rope_parameters");
  ModelDescription d;
  d.name = "layer";
  d.vocabulary = config.at("vocab_size");
  d.contextLength = config.at("max_position_embeddings");
  d.width = config.at("hidden_size");
  d.blocks = 1;
  d.heads = config.at("num_attention_heads");
  d.headWidth = config.at("head_dim");
  d.ropeWidth = config.at("qk_rope_head_dim");
  d.qRank = config.at("q_lora_rank");
  d.outputRank = config.at("o_lora_rank");
  d.outputGroups = config.at("o_groups");
  d.window = config.at("sliding_window");
  d.ropeBase = rope.at("rope_theta");
  d.compressRopeBase = config.value("compress_rope_theta", kCompressRopeBase);
  d.yarnFactor = rope.at("factor");
  d.yarnOriginalContext = rope.at("original_max_position_embeddings");
  d.yarnBetaFast = rope.at("beta_fast");
  d.yarnBetaSlow = rope.at("beta_slow");
  d.indexerHeads = config.at("index_n_heads");
  d.indexerWidth = config.at("index_head_dim");
  d.indexerTopK = config.at("index_topk");
  d.experts = config.at("n_routed_experts");
  d.expertsUsed = config.at("num_experts_per_tok");
  d.expertWidth = config.at("moe_intermediate_size");
  d.sharedExperts = config.at("n_shared_experts");
  d.expertScale = config.at("routed_scaling_factor");
  d.clamps = d.sharedClamps = {config.at("swiglu_limit").get<float>()};
  d.streams = config.at("hc_mult");
  d.sinkhornIterations = config.at("hc_sinkhorn_iters");
  d.hcEps = config.at("hc_eps");
  d.normEps = config.at("rms_norm_eps");
  return d;
}

LayerStep readStep(const nlohmann::json &json) {
  return {.tag = json.at("tag"),
          .kind = json.at("kind"),
          .position = json.at("position"),
          .tokens = json.at("tokens"),
          .tokenIds = json.at("token_ids"),
          .selectMargin = json.value("select_margin", std::vector<double>())};
}

uint32_t ratioOf(const std::string &kind) {
  if (kind == "sliding_attention")
    return 0;
  if (kind == "compressed_sparse_attention")
    return 4;
  if (kind == "heavily_compressed_attention")
    return 128;
  userError("unknown kind of layer \"{}\" in the expected values: they are of a newer format", kind);
}

} // namespace

LayerGoldens::LayerGoldens(const std::string &jsonPath) : results_(arraysBeside(jsonPath)) {
  readGoldenJson(jsonPath, [&](const nlohmann::json &json) {
    base_ = readConfig(json.at("config"));
    for (const auto &[kind, tensors] : json.at("tensors").items())
      for (const auto &[name, tensor] : tensors.items())
        kinds_[kind][name] = {
            .shape = tensor.at("shape"),
            .range = {.amplitude = tensor.at("amp"), .base = tensor.at("base"), .half = tensor.at("stored") == "f16"}};
    for (const nlohmann::json &step : json.at("steps"))
      steps_.push_back(readStep(step));
  });
}

ModelDescription LayerGoldens::description(const std::string &kind) const {
  ModelDescription result = base_;
  result.ratios = {ratioOf(kind)};
  result.hashLayers = result.ratios[0] == 0 ? 1 : 0; // the model's first layers have neither compressor nor router
  return result;
}

const std::map<std::string, LayerGoldens::Parameter> &LayerGoldens::parameters(const std::string &kind) const {
  auto found = kinds_.find(kind);
  if (found == kinds_.end())
    userError("no tensors of the kind of layer \"{}\" among the expected values", kind);
  return found->second;
}

std::vector<Weight> LayerGoldens::weights(const std::string &kind) const {
  std::map<std::string, WeightFormat> formats{{kExpertTable, WeightFormat::I32}};
  for (const auto &[name, parameter] : parameters(kind))
    formats[canonicalTensorName("model.layers.0." + name)] = parameter.range.half ? WeightFormat::F16 : WeightFormat::F32;
  for (const auto &[name, source] : kExpertTensors)
    formats[name] = formats[canonicalTensorName("model.layers.0." + source)];
  std::vector<Weight> weights;
  for (const ExpectedTensor &tensor : description(kind).tensors()) {
    if (!tensor.name.starts_with(kBlock))
      continue;
    auto format = formats.find(tensor.name);
    if (format == formats.end())
      userError("the expected values tell nothing of tensor \"{}\"", tensor.name);
    Weight weight{.name = tensor.name, .role = tensor.role, .format = &formatOf(format->second), .shape = tensor.shape};
    uint64_t count = std::accumulate(tensor.shape.begin(), tensor.shape.end(), uint64_t{1}, std::multiplies());
    weight.bytes = weight.format->rowBytes(count);
    weights.push_back(std::move(weight));
  }
  return weights;
}

// Row r: the first ids of 0..experts-1 in ascending order of the values of tensor "tid2eid.r".
std::vector<float> LayerGoldens::expertTable() const {
  std::vector<float> table;
  for (uint32_t row = 0; row < base_.vocabulary; ++row) {
    std::vector<float> keys = syntheticTensor(fmt::format("tid2eid.{}", row), 0, base_.experts, {});
    std::vector<uint32_t> order(base_.experts);
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {}, [&](uint32_t id) { return keys[id]; });
    table.insert(table.end(), order.begin(), order.begin() + base_.expertsUsed);
  }
  return table;
}

std::vector<float> LayerGoldens::weightValues(const std::string &kind, const std::string &canonicalName) const {
  if (canonicalName == kExpertTable)
    return expertTable();
  if (auto expert = kExpertTensors.find(canonicalName); expert != kExpertTensors.end()) {
    const Parameter &parameter = parameters(kind).at(expert->second);
    uint64_t perExpert = static_cast<uint64_t>(parameter.shape[1] * parameter.shape[2]);
    bool joined = expert->second == "mlp.experts.gate_up_proj";
    uint64_t first = canonicalName == "blk.0.ffn_up_exps.weight" ? perExpert / 2 : 0, count = joined ? perExpert / 2 : perExpert;
    std::vector<float> values;
    for (int64_t e = 0; e < parameter.shape[0]; ++e) {
      std::vector<float> part = syntheticTensor(expert->second, e * perExpert + first, count, parameter.range);
      values.insert(values.end(), part.begin(), part.end());
    }
    return values;
  }
  for (const auto &[name, parameter] : parameters(kind))
    if (canonicalTensorName("model.layers.0." + name) == canonicalName) {
      uint64_t count = std::accumulate(parameter.shape.begin(), parameter.shape.end(), uint64_t{1}, std::multiplies());
      return syntheticTensor(name, 0, count, parameter.range);
    }
  internalError("no generated tensor for \"{}\"", canonicalName);
}

std::vector<float> LayerGoldens::input(const LayerStep &step, const std::string &name, uint64_t count) const {
  return syntheticTensor(step.tag + "." + name, 0, count, kInputRange);
}

} // namespace ds4::golden
