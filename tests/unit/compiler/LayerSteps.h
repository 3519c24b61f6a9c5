// Steps of a layer that is compiled alone, on synthetic state and streams: the same ones whatever passes made its plan.
#pragma once

#include <vector>

#include "runtime/Executor.h"
#include "support/Synthetic.h"

namespace ds4 {

struct StepPoint {
  int64_t pos;
  int q;
};

inline void fillStates(Executor &executor) {
  for (const PlanState &state : executor.plan().states)
    executor.writeState(state.name, 0,
                        syntheticTensor(state.name, 0, static_cast<uint64_t>(state.rows * state.cols), {.half = true}));
}

// A step changes the state: executors that are compared make the same steps in the same order.
inline void stepAt(Executor &executor, const StepPoint &point) {
  const std::vector<int32_t> tokens(static_cast<size_t>(point.q), 7);
  const PlanValue &streams = *executor.plan().findInput("streams");
  executor.setInput("streams", syntheticTensor("streams", static_cast<uint64_t>(point.pos) * streams.tokenStride,
                                               static_cast<uint64_t>(point.q) * streams.tokenStride, {}));
  executor.step({.pos = point.pos, .tokens = tokens});
}

} // namespace ds4
