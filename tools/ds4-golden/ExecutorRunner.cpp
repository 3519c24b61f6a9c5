#include "tools/ds4-golden/ExecutorRunner.h"

#include <algorithm>

#include "support/Error.h"

namespace ds4::golden {

void ExecutorRunner::step(std::span<const int32_t> tokens, int64_t pos, bool head) {
  StepInput input;
  input.pos = pos;
  input.tokens = tokens;
  input.head = head;
  executor_.step(input);
}

int64_t ExecutorRunner::stateRows(const std::string &name) const {
  const std::vector<PlanState> &states = executor_.plan().states;
  auto found = std::ranges::find(states, name, &PlanState::name);
  if (found == states.end())
    internalError("the plan has no state \"{}\"", name);
  return found->rows;
}

} // namespace ds4::golden
