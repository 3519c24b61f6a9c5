#include "models/StepTraffic.h"

#include <algorithm>
#include <numeric>

#include "support/Error.h"

namespace ds4 {

namespace {

// The first pattern that a tensor's name without "blk.N." begins or ends with decides.
struct NamePattern {
  std::string_view text;
  bool isPrefix;
  TrafficPart part;
};
constexpr NamePattern kPatterns[] = {
    {"_norm.weight", false, TrafficPart::Rest},
    {"token_embd.", true, TrafficPart::Rest},
    {"output_hc_", true, TrafficPart::HyperConnections},
    {"output.", true, TrafficPart::Head},
    {"hc_", true, TrafficPart::HyperConnections},
    {"attn_compressor_", true, TrafficPart::Compressors},
    {"indexer", true, TrafficPart::Indexer},
    {"attn_", true, TrafficPart::Attention},
    {"_exps.weight", false, TrafficPart::RoutedExperts},
    {"_shexp.weight", false, TrafficPart::SharedExpert},
    {"ffn_gate_", true, TrafficPart::Router}, // inp, tid2eid
    {"exp_probs_b.", true, TrafficPart::Router},
};

std::string_view withoutBlock(std::string_view name) {
  if (!name.starts_with("blk."))
    return name;
  const size_t dot = name.find('.', 4);
  return dot == name.npos ? name : name.substr(dot + 1);
}

TrafficPart partOf(std::string_view name) {
  const std::string_view tensor = withoutBlock(name);
  for (const NamePattern &pattern : kPatterns)
    if (pattern.isPrefix ? tensor.starts_with(pattern.text) : tensor.ends_with(pattern.text))
      return pattern.part;
  return TrafficPart::Rest;
}

// The share of a weight that a token reads.
uint64_t bytesRead(const TrafficWeight &weight, TrafficPart part, const TrafficSizes &sizes) {
  if (weight.shape.empty() || weight.shape.front() < 1)
    userError("weight '{}' has no rows", weight.name);
  if (part == TrafficPart::RoutedExperts)
    return weight.bytes / static_cast<uint64_t>(weight.shape.front()) * sizes.expertsUsed;
  const std::string_view tensor = withoutBlock(weight.name);
  if (tensor.starts_with("token_embd.") || tensor.starts_with("ffn_gate_tid2eid."))
    return weight.bytes / static_cast<uint64_t>(weight.shape.front());
  return weight.bytes;
}

} // namespace

std::string_view nameOf(TrafficPart part) {
  constexpr std::string_view kNames[kTrafficParts] = {
      "attention", "compressors",          "indexer",        "hyper-connections", "router", "shared expert", "routed experts",
      "head",      "norms, embedding row", "key-value rows", "indexer keys"};
  return kNames[static_cast<int>(part)];
}

uint64_t StepTraffic::total() const { return std::accumulate(std::begin(bytes), std::end(bytes), uint64_t{0}); }

StepTraffic stepTraffic(std::span<const TrafficWeight> weights, const TrafficSizes &sizes, int64_t position) {
  StepTraffic traffic{.position = position};
  const auto add = [&](TrafficPart part, uint64_t bytes) { traffic.bytes[static_cast<int>(part)] += bytes; };
  for (const TrafficWeight &weight : weights) {
    const TrafficPart part = partOf(weight.name);
    add(part, bytesRead(weight, part, sizes));
  }
  const auto seen = static_cast<uint64_t>(position) + 1; // tokens, this one included
  const uint64_t rowBytes = uint64_t{sizes.headWidth} * sizes.elementBytes,
                 keyBytes = uint64_t{sizes.indexerWidth} * sizes.elementBytes;
  for (const uint32_t ratio : sizes.ratios) {
    const uint64_t compressed = ratio ? seen / ratio : 0;
    const bool hasIndexer = ratio == 4;
    const uint64_t read = hasIndexer ? std::min<uint64_t>(compressed, sizes.indexerTopK) : compressed;
    add(TrafficPart::Rows, (std::min<uint64_t>(seen, sizes.window) + read) * rowBytes);
    if (hasIndexer)
      add(TrafficPart::IndexerKeys, compressed * keyBytes);
  }
  return traffic;
}

StepTraffic stepTraffic(const Model &model, int64_t position) {
  const ModelDescription &d = model.description();
  std::vector<TrafficWeight> weights;
  for (const Weight &weight : model.weights())
    weights.push_back({weight.name, weight.shape, weight.bytes});
  return stepTraffic(weights,
                     {.expertsUsed = d.expertsUsed,
                      .window = d.window,
                      .indexerTopK = d.indexerTopK,
                      .headWidth = d.headWidth,
                      .indexerWidth = d.indexerWidth,
                      .ratios = d.ratios},
                     position);
}

} // namespace ds4
