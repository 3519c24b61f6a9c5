// The smallest plan that is whole.
#pragma once

#include "runtime/plan/Plan.h"

namespace ds4::test {

// One launch of one kernel over one weight and one state, with logits of three tokens' vocabulary.
inline Plan smallPlan() {
  Plan plan;
  plan.generator = "test";
  plan.target = "gfx1151";
  plan.modelName = "small";
  plan.vocabulary = 3;
  plan.context = 16;
  plan.maxWidth = 2;
  plan.arenaBytes = 64;
  plan.options = {"-O3", "-std=c++20", "-DWIDTH=2"};
  plan.weights = {{"w", "f16", {4, 2}, 0, 32, 16}};
  plan.states = {{"blk.0.window", "window", 16, 4, "f16"}};
  plan.kernels = {{"ds4_copy_4", "copy", "", 32, 256, 65536, 0, 0, 0, {}}};
  plan.headers = {{"formats/f16.h", "#pragma once"}};
  PlanLaunch launch;
  launch.variants = {{.kernel = 0, .grid = {StepExpr::q(), StepExpr(1), StepExpr(1)}}};
  launch.arguments = {{PlanArgument::Kind::Step, 0},
                      {PlanArgument::Kind::Weight, 0},
                      {PlanArgument::Kind::State, 0},
                      {PlanArgument::Kind::Arena, 32}};
  launch.label = "head.logits";
  plan.launches = {launch};
  plan.sizes = {6, 128, 512, {0, 4, 128}};
  plan.outputs = {{"logits", "f32", {PlanValue::kTokens, 3}, 32, 3, 24}, {"next", "i32", {PlanValue::kTokens}, 0, 1, 8}};
  return plan;
}

} // namespace ds4::test
