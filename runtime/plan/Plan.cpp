#include "runtime/plan/Plan.h"

#include <algorithm>

#include "codegen/kernels/formats/mix_levels.h"
#include "support/Error.h"

namespace ds4 {

namespace {

const PlanValue *find(const std::vector<PlanValue> &values, std::string_view name) {
  auto at = std::find_if(values.begin(), values.end(), [&](const PlanValue &value) { return value.name == name; });
  return at == values.end() ? nullptr : &*at;
}

} // namespace

bool PlanLaunch::usesScratch() const { return std::ranges::any_of(variants, &PlanVariant::scratch); }

PlanChoice PlanLaunch::at(int64_t pos, int64_t q) const {
  constexpr int64_t kMost[] = {INT32_MAX, 65535, 65535};
  const auto taken = std::ranges::find_if(variants, [&](const PlanVariant &variant) { return variant.guard.holds(pos, q); });
  if (taken == variants.end())
    userError("launch '{}' has no variant for {} tokens at position {}: compile the plan again", label, q, pos);
  PlanChoice choice{.variant = static_cast<size_t>(taken - variants.begin()),
                    .kernel = taken->kernel,
                    .arguments = arguments.size() - (usesScratch() && !taken->scratch)};
  for (size_t axis = 0; axis < taken->grid.size(); ++axis) {
    const int64_t count = taken->grid[axis].evaluate(pos, q);
    if (count < 0 || count > kMost[axis])
      userError("launch '{}' has {} workgroups along axis {} at position {}, up to {} are possible: compile the plan again", label,
                count, axis, pos, kMost[axis]);
    choice.grid[axis] = static_cast<uint32_t>(count);
  }
  return choice;
}

const PlanValue *Plan::findOutput(std::string_view name) const { return find(outputs, name); }
const PlanValue *Plan::findInput(std::string_view name) const { return find(inputs, name); }

const PlanState *Plan::findState(std::string_view name) const {
  const auto at = std::ranges::find(states, name, &PlanState::name);
  return at == states.end() ? nullptr : &*at;
}

std::vector<PlanWeight> Plan::drafterWeights() const {
  std::vector<PlanWeight> own;
  if (draft)
    std::ranges::copy_if(draft->weights, std::back_inserter(own), [&](const PlanWeight &weight) {
      return std::ranges::find(weights, weight.name, &PlanWeight::name) == weights.end();
    });
  return own;
}

std::vector<PlanState> Plan::ownStates(const Plan &function) const {
  std::vector<PlanState> own;
  std::ranges::copy_if(function.states, std::back_inserter(own), [&](const PlanState &state) { return !findState(state.name); });
  return own;
}

static uint64_t bytesBeside(const Plan &plan, const std::shared_ptr<const Plan> &function) {
  uint64_t bytes = function ? function->arenaBytes : 0;
  if (function)
    for (const PlanState &state : plan.ownStates(*function))
      bytes += state.bytes();
  return bytes;
}

uint64_t Plan::prefillBytes() const { return bytesBeside(*this, prefill); }

uint64_t Plan::draftBytes() const { return bytesBeside(*this, draft); }

uint64_t PlanWeight::levelTables() const {
  if (format != "rocmfp2_mix" && format != "rocmfp3_mix")
    return 0;
  return shape.size() == 3 ? static_cast<uint64_t>(shape[0]) : 1;
}

uint64_t PlanWeight::deviceBytes() const {
  const uint64_t tables = levelTables();
  return tables ? mixLevelsOffset(bytes) + tables * sizeof(MixLevels) : bytes;
}

std::vector<uint64_t> weightPieces(std::span<const PlanWeight> weights) {
  std::vector<uint64_t> pieces;
  for (const PlanWeight &weight : weights)
    pieces.push_back(weight.deviceBytes());
  return pieces;
}

std::vector<uint64_t> Plan::weightPieces() const { return ds4::weightPieces(weights); }

std::vector<uint64_t> Plan::statePieces() const {
  std::vector<uint64_t> pieces;
  for (const PlanState &state : states)
    pieces.push_back(state.bytes());
  return pieces;
}

uint64_t Plan::weightBytes() const {
  uint64_t sum = 0;
  for (const PlanWeight &weight : weights)
    sum += weight.bytes;
  return sum;
}

uint64_t Plan::stateBytes() const {
  uint64_t sum = 0;
  for (const PlanState &state : states)
    sum += state.bytes();
  return sum;
}

} // namespace ds4
