#include "tools/ds4-golden/ModelGoldens.h"

#include "support/Safetensors.h"
#include "tools/ds4-golden/GoldenFile.h"

namespace ds4::golden {
namespace {

ModelCase readCase(const nlohmann::json &json, const Safetensors &arrays) {
  ModelCase result;
  json.at("name").get_to(result.name);
  json.at("tokens").get_to(result.tokens);
  for (const nlohmann::json &position : json.at("positions"))
    result.positions.push_back(
        {.position = position.at("position"),
         .top = {.ids = position.at("top_ids"), .logits = position.at("top_logits"), .logSumExp = position.at("logsumexp")}});
  json.at("greedy").get_to(result.greedy);
  json.at("router_ids").get_to(result.routerIds);
  json.at("router_weights").get_to(result.routerWeights);
  json.at("indexer_picks").get_to(result.indexerPicks);
  result.lastLogits = arrays.floats(result.name + ".last_logits");
  std::vector<float> streams = arrays.floats(result.name + ".streams_after_layer");
  size_t layers = result.routerIds.size(), perLayer = layers ? streams.size() / layers : 0;
  for (size_t layer = 0; layer < layers; ++layer)
    result.streamsAfterLayer.emplace_back(streams.begin() + layer * perLayer, streams.begin() + (layer + 1) * perLayer);
  return result;
}

} // namespace

std::vector<ModelCase> readModelGoldens(const std::string &jsonPath) {
  std::vector<ModelCase> cases;
  readGoldenJson(jsonPath, [&](const nlohmann::json &json) {
    Safetensors arrays(arraysBeside(jsonPath));
    for (const nlohmann::json &entry : json.at("cases"))
      cases.push_back(readCase(entry, arrays));
  });
  return cases;
}

} // namespace ds4::golden
