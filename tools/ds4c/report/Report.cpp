#include "tools/ds4c/report/Report.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "compiler/bench/StepBench.h"
#include "runtime/plan/Places.h"
#include "tools/ds4c/PlanSummary.h"
#include "tools/ds4c/report/Page.h"

namespace ds4 {

namespace {

using Json = nlohmann::ordered_json;

// Which launch does the work of each op: the one that makes its result; for an op whose result fusion did away with, the one
// that its users belong to.
class Assignment {
public:
  explicit Assignment(const Plan &plan) : launches_(plan.ops.size(), -1) {
    std::map<std::string, int> makers;
    for (size_t i = 0; i < plan.launches.size(); ++i)
      for (const std::string &place : plan.launches[i].covers)
        makers.emplace(place, static_cast<int>(i));
    for (size_t i = plan.ops.size(); i-- > 0;) {
      if (auto maker = makers.find(plan.ops[i].place); maker != makers.end())
        launches_[i] = maker->second;
      for (uint32_t operand : plan.ops[i].operands)
        if (launches_[operand] < 0 && !makers.contains(plan.ops[operand].place))
          launches_[operand] = launches_[i];
    }
  }
  int launchOf(size_t op) const { return launches_[op]; }

private:
  std::vector<int> launches_;
};

// Layers whose ops have the same places.
struct Kind {
  std::string places; // and ops, all in one text
  std::vector<std::string> layers;
};

// In the order of their first layers.
std::vector<Kind> kindsOfLayers(const Plan &plan) {
  std::vector<Kind> layers; // one each
  for (const PlanOp &op : plan.ops) {
    const std::string layer = layerOf(op.place);
    if (layer.empty())
      continue;
    if (layers.empty() || layers.back().layers[0] != layer)
      layers.push_back({"", {layer}});
    layers.back().places += placeInLayer(op.place) + ":" + op.name + "\n";
  }
  std::vector<Kind> kinds;
  for (Kind &layer : layers) {
    auto same = std::ranges::find(kinds, layer.places, &Kind::places);
    if (same == kinds.end())
      kinds.push_back(std::move(layer));
    else
      same->layers.push_back(layer.layers[0]);
  }
  return kinds;
}

// "compressor and indexer, hash router": what tells the kinds apart.
std::string describe(const std::string &places) {
  auto has = [&](std::string_view text) { return places.find(text) != places.npos; };
  const std::string attention = has("indexer.") ? "compressor and indexer" : has("compressor.") ? "compressor" : "window alone";
  return attention + (has(":hash_router") ? ", hash router" : "");
}

Json launchJson(const Plan &plan, size_t index, const LaunchCost &cost, const CostModel &model, int64_t pos, int q) {
  const PlanLaunch &launch = plan.launches[index];
  const PlanChoice choice = launch.at(pos, q);
  const PlanKernel &kernel = plan.kernels[choice.kernel];
  std::vector<std::string> covers;
  for (const std::string &place : launch.covers)
    covers.push_back(placeInLayer(place));
  return {{"id", index},
          {"place", placeInLayer(launch.label)},
          {"op", kernel.op},
          {"kernel", kernel.symbol},
          {"covers", covers},
          {"grid", choice.grid},
          {"block", kernel.block},
          {"vgprs", kernel.vgprs},
          {"lds", kernel.ldsBytes},
          {"waves", wavesPerSimd(kernel)},
          {"bytes", cost.bytes},
          {"instructions", cost.instructions},
          {"longest", cost.longestWave},
          {"us", cost.seconds * 1e6},
          {"busUs", cost.bytes / model.bytesPerSecond * 1e6},
          {"aluUs", cost.instructions / model.instructionsPerSecond * 1e6}};
}

// The layer's ops with the launches that do their work, and the launches with those that they wait for.
Json layerJson(const Plan &plan, const Assignment &assignment, const std::string &layer, const StepCost &cost, int64_t pos, int q) {
  const CostModel model;
  Json ops = Json::array(), launches = Json::array();
  std::map<size_t, int> opIds;
  std::map<int, std::vector<int>> waits;
  for (size_t i = 0; i < plan.ops.size(); ++i) {
    const PlanOp &op = plan.ops[i];
    if (layerOf(op.place) != layer)
      continue;
    const int own = assignment.launchOf(i);
    std::vector<int> operands;
    for (uint32_t operand : op.operands) {
      if (!opIds.contains(operand))
        continue;
      operands.push_back(opIds[operand]);
      if (const int other = assignment.launchOf(operand); other != own)
        waits[own].push_back(other);
    }
    opIds[i] = static_cast<int>(ops.size());
    ops.push_back({{"place", placeInLayer(op.place)}, {"op", op.name}, {"from", operands}, {"launch", own}});
  }
  for (size_t i = 0; i < plan.launches.size(); ++i)
    if (layerOf(plan.launches[i].label) == layer) {
      launches.push_back(launchJson(plan, i, cost.launches[i], model, pos, q));
      launches.back()["from"] = waits[static_cast<int>(i)];
    }
  return {{"ops", ops}, {"launches", launches}};
}

Json memoryJson(const Plan &plan) {
  Json parts = Json::array();
  for (const auto &[format, bytes] : weightsByFormat(plan))
    parts.push_back({{"part", "weights " + format}, {"bytes", bytes}});
  for (const auto &[kind, bytes] : stateByKind(plan))
    parts.push_back({{"part", "state " + kind}, {"bytes", bytes}});
  parts.push_back({{"part", "arena"}, {"bytes", plan.arenaBytes}});
  return parts;
}

Json groupJson(const StepGroup &group, const CostModel &model) {
  return {{"place", group.place},
          {"kernel", group.kernel},
          {"launches", group.launches},
          {"bytes", group.cost.bytes},
          {"instructions", group.cost.instructions},
          {"ms", group.cost.seconds * 1e3},
          {"busMs", group.cost.bytes / model.bytesPerSecond * 1e3},
          {"aluMs", group.cost.instructions / model.instructionsPerSecond * 1e3},
          {"gapMs", group.launches * model.gapSeconds * 1e3}};
}

} // namespace

std::string htmlReport(const Plan &plan, int64_t pos, int q) {
  const CostModel model;
  const StepCost cost = measureStep(plan, pos, q, model);
  const Assignment assignment(plan);
  Json data{{"model", plan.modelName},
            {"target", plan.target},
            {"generator", plan.generator},
            {"context", plan.context},
            {"pos", pos},
            {"q", q},
            {"launches", plan.launches.size()},
            {"ops", plan.ops.size()},
            {"kernels", plan.kernels.size()}};
  for (const Kind &kind : kindsOfLayers(plan)) {
    Json layer = layerJson(plan, assignment, kind.layers.front(), cost, pos, q);
    layer["kind"] = describe(kind.places);
    layer["layers"] = kind.layers;
    data["layers"].push_back(std::move(layer));
  }
  for (const StepGroup &group : cost.groups)
    data["groups"].push_back(groupJson(group, model));
  data["total"] = groupJson(cost.total(), model);
  data["memory"] = memoryJson(plan);

  // Within a script element no text may look like its end.
  std::string text = data.dump(-1, ' ', true, Json::error_handler_t::replace);
  for (size_t at = 0; (at = text.find("</", at)) != text.npos; at += 3)
    text.replace(at, 2, "<\\/");
  std::string page(reportPage());
  constexpr std::string_view kData = "\"DATA\"";
  return page.replace(page.find(kData), kData.size(), text);
}

} // namespace ds4
