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

std::array<uint32_t, 3> PlanLaunch::gridAt(int64_t pos, int64_t q) const {
  constexpr int64_t kMost[] = {INT32_MAX, 65535, 65535};
  std::array<uint32_t, 3> workgroups;
  for (size_t axis = 0; axis < grid.size(); ++axis) {
    const int64_t count = grid[axis].evaluate(pos, q);
    if (count < 0 || count > kMost[axis])
      userError("launch '{}' has {} workgroups along axis {} at position {}, up to {} are possible: compile the plan again", label, count,
                axis, pos, kMost[axis]);
    workgroups[axis] = static_cast<uint32_t>(count);
  }
  return workgroups;
}

const PlanValue *Plan::findOutput(std::string_view name) const { return find(outputs, name); }
const PlanValue *Plan::findInput(std::string_view name) const { return find(inputs, name); }

uint64_t PlanWeight::levelTables() const {
  if (format != "rocmfp2_mix" && format != "rocmfp3_mix")
    return 0;
  return shape.size() == 3 ? static_cast<uint64_t>(shape[0]) : 1;
}

uint64_t PlanWeight::deviceBytes() const {
  const uint64_t tables = levelTables();
  return tables ? mixLevelsOffset(bytes) + tables * sizeof(MixLevels) : bytes;
}

std::vector<uint64_t> Plan::weightPieces() const {
  std::vector<uint64_t> pieces;
  for (const PlanWeight &weight : weights)
    pieces.push_back(weight.deviceBytes());
  return pieces;
}

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
