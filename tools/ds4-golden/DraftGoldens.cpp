#include "tools/ds4-golden/DraftGoldens.h"

#include <fmt/format.h>

#include "support/Safetensors.h"
#include "tools/ds4-golden/GoldenFile.h"

namespace ds4::golden {
namespace {

using Json = nlohmann::json;

// [stage][slot][expert] -> one row a stage.
template <typename T> std::vector<std::vector<T>> flattened(const Json &stages) {
  std::vector<std::vector<T>> rows;
  for (const Json &stage : stages) {
    std::vector<T> &row = rows.emplace_back();
    for (const Json &slot : stage)
      for (const Json &value : slot)
        row.push_back(value.get<T>());
  }
  return rows;
}

DraftAnchor readAnchor(const Json &json, const std::string &caseName, const Safetensors &arrays) {
  DraftAnchor anchor;
  anchor.position = json.at("position").get<int64_t>();
  anchor.confirmed = json.at("confirmed").get<int32_t>();
  for (const Json &slot : json.at("slots"))
    anchor.slots.push_back({slot.at("top_ids").get<std::vector<int32_t>>(), slot.at("top_logits").get<std::vector<float>>(),
                            slot.at("logsumexp").get<double>()});
  anchor.drafts = json.at("drafts").get<std::vector<int32_t>>();
  anchor.draftGaps = json.at("draft_gaps").get<std::vector<double>>();
  anchor.confidenceRaw = json.at("confidence_raw").get<std::vector<double>>();
  anchor.confidence = json.at("confidence").get<std::vector<double>>();
  const std::string prefix = fmt::format("{}.p{}.", caseName, anchor.position);
  anchor.taps = arrays.floats(prefix + "taps");
  anchor.m = arrays.floats(prefix + "m");
  anchor.x = arrays.floats(prefix + "x");
  anchor.ringRow = arrays.floats(prefix + "ring_row");
  if (!json.contains("router_ids"))
    return anchor;
  anchor.routerIds = flattened<int32_t>(json.at("router_ids"));
  anchor.routerWeights = flattened<float>(json.at("router_weights"));
  const std::vector<float> streams = arrays.floats(prefix + "streams_after_stage");
  const size_t stages = anchor.routerIds.size(), size = stages ? streams.size() / stages : 0;
  for (size_t stage = 0; stage < stages; ++stage)
    anchor.streamsAfterStage.emplace_back(streams.begin() + static_cast<ptrdiff_t>(stage * size),
                                          streams.begin() + static_cast<ptrdiff_t>((stage + 1) * size));
  return anchor;
}

} // namespace

std::vector<DraftCase> readDraftGoldens(const std::string &jsonPath) {
  std::vector<DraftCase> cases;
  const Safetensors arrays(arraysBeside(jsonPath));
  readGoldenJson(jsonPath, [&](const Json &json) {
    for (const Json &entry : json.at("cases")) {
      DraftCase &added = cases.emplace_back();
      added.name = entry.at("name").get<std::string>();
      added.tokens = entry.at("tokens").get<std::vector<int32_t>>();
      for (const Json &anchor : entry.at("anchors"))
        added.anchors.push_back(readAnchor(anchor, added.name, arrays));
    }
  });
  return cases;
}

} // namespace ds4::golden
