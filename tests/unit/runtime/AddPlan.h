// A plan of one kernel, which adds a weight to a state: enough to make every kind of call.
#pragma once

#include <cstring>

#include "runtime/Weights.h"
#include "runtime/plan/Plan.h"

namespace ds4::test {

inline constexpr const char *kAddSource =
    "extern \"C\" __global__ void add(const int *step, const float *weight, float *state, float *out) {"
    " unsigned i = __builtin_amdgcn_workitem_id_x(); state[i] += weight[i]; out[i] = state[i] + step[0]; }";

inline Plan addPlan(std::vector<std::byte> code = {}) {
  Plan plan;
  plan.generator = "test";
  plan.target = "gfx1151";
  plan.vocabulary = 10;
  plan.context = 16;
  plan.maxWidth = 1;
  plan.arenaBytes = 256;
  plan.options = {"-O3"};
  plan.weights.push_back({.name = "w", .format = "f32", .shape = {1, 32}, .bytes = 128});
  plan.states.push_back({.name = "s", .kind = "window", .rows = 1, .cols = 32, .format = "f32"});
  plan.kernels.push_back({.symbol = "add", .op = "add", .source = kAddSource, .block = 32, .codeObject = std::move(code)});
  using Kind = PlanArgument::Kind;
  plan.launches.push_back({.variants = {{.grid = {StepExpr(1), StepExpr(1), StepExpr(1)}}},
                           .arguments = {{Kind::Step, 0}, {Kind::Weight, 0}, {Kind::State, 0}, {Kind::Arena, 0}},
                           .label = "add"});
  plan.outputs.push_back({.name = "out", .element = "f32", .dims = {PlanValue::kTokens, 32}, .tokenStride = 32, .bytes = 128});
  return plan;
}

// Every weight is 0.5.
class Halves : public WeightSource {
public:
  void read(const PlanWeight &, uint64_t, std::span<std::byte> out) const override {
    const float half = 0.5f;
    for (size_t i = 0; i < out.size(); i += sizeof half)
      std::memcpy(out.data() + i, &half, sizeof half);
  }
};

} // namespace ds4::test
