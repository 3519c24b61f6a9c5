#include "tools/ds4c/ScheduleText.h"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runtime/plan/Places.h"

namespace ds4 {

namespace {

using Step = std::pair<int64_t, int>;

// Launches of one place in the layers that have the same variants.
struct Alike {
  const PlanLaunch *first;
  int launches = 0;
};

std::vector<Alike> launchesOf(const Plan &plan) {
  std::vector<Alike> all;
  std::map<std::pair<std::string, std::vector<uint32_t>>, size_t> indices;
  for (const PlanLaunch &launch : plan.launches) {
    std::vector<uint32_t> kernels;
    for (const PlanVariant &variant : launch.variants)
      kernels.push_back(variant.kernel);
    auto [index, fresh] = indices.try_emplace({placeInLayer(launch.label), kernels}, all.size());
    if (fresh)
      all.push_back({&launch});
    ++all[index->second].launches;
  }
  return all;
}

// "q = 4, (pos + q) floordiv 4 = 8192": what the guards look at, in that step.
std::string valuesAt(const PlanLaunch &launch, const Step &at) {
  std::vector<std::string> values;
  for (const PlanVariant &variant : launch.variants)
    for (const StepRange &range : variant.guard.ranges) {
      std::string text = fmt::format("{} = {}", range.value.toString(), range.value.evaluate(at.first, at.second));
      if (std::ranges::find(values, text) == values.end())
        values.push_back(std::move(text));
    }
  return fmt::format("{}", fmt::join(values, ", "));
}

std::string gridText(const PlanLaunch &launch, const PlanVariant &variant, const std::optional<Step> &at) {
  if (!at)
    return fmt::format("{} x {} x {}", variant.grid[0].toString(), variant.grid[1].toString(), variant.grid[2].toString());
  const PlanChoice choice = launch.at(at->first, at->second);
  return choice.isEmpty() ? "no rows: not launched" : fmt::format("{} x {} x {}", choice.grid[0], choice.grid[1], choice.grid[2]);
}

std::string textOf(const Plan &plan, const Alike &alike, const std::optional<Step> &at) {
  const PlanLaunch &launch = *alike.first;
  std::string text = fmt::format("\n{}{}", launch.label, alike.launches > 1 ? fmt::format(" and {} more", alike.launches - 1) : "");
  if (launch.covers.size() > 1) {
    std::vector<std::string> parts;
    for (const std::string &place : launch.covers)
      parts.push_back(placeInLayer(place));
    text += fmt::format(": {}", fmt::join(parts, ", "));
  }
  text += "\n";
  const bool hasChoice = launch.variants.size() > 1;
  if (hasChoice && at)
    text += fmt::format("  {}\n", valuesAt(launch, *at));
  const size_t taken = at ? launch.at(at->first, at->second).variant : launch.variants.size();
  for (size_t i = 0; i < launch.variants.size(); ++i) {
    const PlanVariant &variant = launch.variants[i];
    const bool isTaken = hasChoice && i == taken;
    text += fmt::format("{} {}{}, {}{}\n", isTaken ? " *" : "  ",
                        hasChoice ? fmt::format("{} where {}: ", variant.name, variant.guard.toString()) : "",
                        plan.kernels[variant.kernel].symbol, at && i != taken ? "not taken" : gridText(launch, variant, at),
                        variant.reason.empty() ? "" : "; " + variant.reason);
  }
  return text;
}

std::string textOf(const std::string &of, const Plan &plan, const std::optional<Step> &at) {
  const std::vector<Alike> all = launchesOf(plan);
  int withChoice = 0;
  for (const Alike &alike : all)
    withChoice += alike.first->variants.size() > 1 ? alike.launches : 0;
  std::string text = fmt::format("\nschedules{}: {} launches, {} of them with variants\n", of, plan.launches.size(), withChoice);
  if (at)
    text += fmt::format("at position {}, {} token{}: * is taken\n", at->first, at->second, at->second > 1 ? "s" : "");
  for (const Alike &alike : all)
    text += textOf(plan, alike, at);
  return text;
}

} // namespace

std::string scheduleText(const Plan &plan, std::optional<Step> at) {
  std::string text = textOf("", plan, at);
  if (plan.draft)
    text += textOf(" of a draft", *plan.draft, std::nullopt);
  return text;
}

} // namespace ds4
