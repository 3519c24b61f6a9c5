#include "runtime/plan/Plan.h"

#include <algorithm>

namespace ds4 {

namespace {

const PlanValue *find(const std::vector<PlanValue> &values, std::string_view name) {
  auto at = std::find_if(values.begin(), values.end(), [&](const PlanValue &value) { return value.name == name; });
  return at == values.end() ? nullptr : &*at;
}

} // namespace

const PlanValue *Plan::findOutput(std::string_view name) const { return find(outputs, name); }
const PlanValue *Plan::findInput(std::string_view name) const { return find(inputs, name); }

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
