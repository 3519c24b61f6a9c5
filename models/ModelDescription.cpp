#include "models/ModelDescription.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/DescriptionFields.h"
#include "models/gguf/Writer.h"

namespace ds4 {

bool roleAllows(WeightRole role, WeightFormat format) {
  switch (role) {
  case WeightRole::Vector:
  case WeightRole::PositionBias:
    return format == WeightFormat::F32 || format == WeightFormat::F16 || format == WeightFormat::BF16;
  case WeightRole::Matrix:
  case WeightRole::ExpertMatrix:
    return format != WeightFormat::I32;
  case WeightRole::Table:
    return format == WeightFormat::I32;
  }
  return false;
}

std::vector<std::string> ModelDescription::requiredKeys() {
  std::vector<std::string> keys{"general.architecture"};
  for (const auto &field : kIntegerFields)
    keys.emplace_back(field.key);
  for (const auto &field : kFloatFields)
    keys.emplace_back(field.key);
  for (std::string_view key : {kRatiosKey, kClampsKey, kGatingKey, kScalingKey})
    keys.emplace_back(key);
  return keys;
}

namespace {

// Collects the tensors of one block, or of the whole model.
class Expectation {
public:
  Expectation(std::vector<ExpectedTensor> &tensors, std::string prefix) : tensors_(tensors), prefix_(std::move(prefix)) {}

  void vector(std::string_view name, int64_t size) { add(name, {size}, WeightRole::Vector); }
  void matrix(std::string_view name, int64_t rows, int64_t cols) { add(name, {rows, cols}, WeightRole::Matrix); }
  void add(std::string_view name, std::vector<int64_t> shape, WeightRole role, std::vector<int64_t> splitShape = {}) {
    tensors_.push_back({prefix_ + std::string(name), std::move(shape), role, std::move(splitShape)});
  }

private:
  std::vector<ExpectedTensor> &tensors_;
  std::string prefix_;
};

void expectAttention(const ModelDescription &m, Expectation &block) {
  const int64_t heads = m.heads, headWidth = m.headWidth, groups = m.outputGroups, rank = m.outputRank;
  block.vector("attn_norm.weight", m.width);
  block.vector("attn_sinks.weight", heads);
  block.matrix("attn_q_a.weight", m.qRank, m.width);
  block.vector("attn_q_a_norm.weight", m.qRank);
  block.matrix("attn_q_b.weight", heads * headWidth, m.qRank);
  block.matrix("attn_kv.weight", headWidth, m.width);
  block.vector("attn_kv_a_norm.weight", headWidth);
  const int64_t groupWidth = groups ? heads * headWidth / groups : 0;
  block.add("attn_output_a.weight", {groups * rank, groupWidth}, WeightRole::Matrix, {groups, rank, groupWidth});
  block.matrix("attn_output_b.weight", m.width, groups * rank);
}

void expectHyperConnection(const ModelDescription &m, Expectation &block, const std::string &name) {
  const int64_t streams = m.streams, mixes = (2 + streams) * streams;
  block.matrix(name + "_fn.weight", mixes, streams * m.width);
  block.vector(name + "_base.weight", mixes);
  block.vector(name + "_scale.weight", 3);
}

void expectCompressor(const ModelDescription &m, Expectation &block, uint32_t index, const std::string &name, uint32_t rowWidth) {
  const int64_t width = m.compressorWidth(index, rowWidth);
  block.matrix(name + "_kv.weight", width, m.width);
  block.matrix(name + "_gate.weight", width, m.width);
  block.add(name + "_ape.weight", {m.ratios[index], width}, WeightRole::PositionBias);
  block.vector(name + "_norm.weight", rowWidth);
}

void expectExperts(const ModelDescription &m, Expectation &block, bool hashed) {
  const int64_t experts = m.experts, inner = m.expertWidth, width = m.width, sharedInner = inner * m.sharedExperts;
  block.vector("ffn_norm.weight", width);
  block.matrix("ffn_gate_inp.weight", experts, width);
  if (hashed)
    block.add("ffn_gate_tid2eid.weight", {m.vocabulary, m.expertsUsed}, WeightRole::Table);
  else
    block.vector("exp_probs_b.bias", experts);
  block.add("ffn_gate_exps.weight", {experts, inner, width}, WeightRole::ExpertMatrix);
  block.add("ffn_up_exps.weight", {experts, inner, width}, WeightRole::ExpertMatrix);
  block.add("ffn_down_exps.weight", {experts, width, inner}, WeightRole::ExpertMatrix);
  block.matrix("ffn_gate_shexp.weight", sharedInner, width);
  block.matrix("ffn_up_shexp.weight", sharedInner, width);
  block.matrix("ffn_down_shexp.weight", width, sharedInner);
}

} // namespace

std::vector<ExpectedTensor> ModelDescription::tensors() const {
  std::vector<ExpectedTensor> all;
  Expectation model(all, "");
  model.matrix("token_embd.weight", vocabulary, width);
  model.vector("output_norm.weight", width);
  model.matrix("output.weight", vocabulary, width);
  model.matrix("output_hc_fn.weight", streams, int64_t{streams} * width);
  model.vector("output_hc_base.weight", streams);
  model.vector("output_hc_scale.weight", 1);
  for (uint32_t index = 0; index < blocks; ++index) {
    Expectation block(all, fmt::format("blk.{}.", index));
    expectHyperConnection(*this, block, "hc_attn");
    expectAttention(*this, block);
    if (ratios[index] != 0)
      expectCompressor(*this, block, index, "attn_compressor", headWidth);
    if (ratios[index] == 4) {
      block.matrix("indexer.proj.weight", indexerHeads, width);
      block.matrix("indexer.attn_q_b.weight", int64_t{indexerHeads} * indexerWidth, qRank);
      expectCompressor(*this, block, index, "indexer_compressor", indexerWidth);
    }
    expectHyperConnection(*this, block, "hc_ffn");
    expectExperts(*this, block, index < hashLayers);
  }
  return all;
}

std::string ModelDescription::toText() const {
  std::string text = fmt::format("name: {}\n", name);
  for (const auto &field : kIntegerFields)
    text += fmt::format("{}: {}\n", field.yaml, this->*field.member);
  for (const auto &field : kFloatFields)
    text += fmt::format("{}: {}\n", field.yaml, this->*field.member);
  for (const auto &field : kTokenFields)
    if (const auto token = this->*field.member)
      text += fmt::format("{}: {}\n", field.yaml, *token);
  return text + fmt::format("compress_ratios: {}\nswiglu_clamp: {}\nswiglu_clamp_shared: {}\n", ratios, clamps, sharedClamps);
}

void ModelDescription::writeTo(gguf::Writer &writer) const {
  writer.set("general.architecture", kArchitecture);
  writer.set("general.name", name);
  for (const auto &field : kIntegerFields)
    writer.set(field.key, this->*field.member);
  for (const auto &field : kFloatFields)
    writer.set(field.key, this->*field.member);
  for (const auto &field : kTokenFields)
    if (const auto token = this->*field.member)
      writer.set(field.key, *token);
  writer.set(kKvHeadsKey, uint32_t{1});
  writer.set(kValueLengthKey, headWidth);
  writer.set(kScalingKey, "yarn");
  writer.set(kNormalisedKey, true);
  writer.set(kGatingKey, kSqrtSoftplus);
  // Public loaders want signed ratios.
  writer.setArray(kRatiosKey, std::vector<int32_t>(ratios.begin(), ratios.end()));
  writer.setArray(kClampsKey, clamps);
  writer.setArray(kSharedClampsKey, sharedClamps);
}

} // namespace ds4
