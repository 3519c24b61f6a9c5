// Expected tokens a millisecond: every figure here is worked out by hand from the header's definition.
#include "runtime/speculation/CostAwareWidth.h"

#include <gtest/gtest.h>

using namespace ds4;

namespace {

Draft drafts(size_t count, std::vector<float> confidence = {}) { return {std::vector<int32_t>(count, 1), std::move(confidence)}; }

// Ends the warm-up without teaching anything about drafts or time.
void warmUp(CostAwareWidth &control) {
  for (int i = 0; i < CostAwareWidth::kWarmUpRounds; ++i)
    control.observe({}, 1, 1, 0);
}

} // namespace

TEST(CostAwareWidth, WarmsUpWithThreeRows) {
  CostAwareWidth control(8);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(control.wanted(8), 3);
    EXPECT_EQ(control.rows(drafts(7)), 3);
    control.observe({}, 1, 1, 0);
  }
  // Prior: survival 0.75 each, 1 + .75 + .5625 + .4219 + .3164 = 3.0508 tokens of 5 rows at cost 123: .02480, 6 rows .02252.
  EXPECT_EQ(control.rows(drafts(7)), 5);
}

TEST(CostAwareWidth, WidthFollowsConfidence) {
  CostAwareWidth control(8);
  warmUp(control);
  EXPECT_EQ(control.rows(drafts(7, std::vector<float>(7, 1.0f))), 8);  // 8 / 192 = .0417, best of all
  EXPECT_EQ(control.rows(drafts(7, std::vector<float>(7, 0.01f))), 1); // floor .05: 1.05 / 75 < 1 / 60
}

TEST(CostAwareWidth, SurvivalIsAveragedWhereADraftWasReached) {
  CostAwareWidth control(8);
  control.observe({}, 2, 4, 0); // first draft right, second wrong, third not reached
  EXPECT_DOUBLE_EQ(control.survival({}, 0), 0.75 + 0.2 * 0.25);
  EXPECT_DOUBLE_EQ(control.survival({}, 1), 0.75 - 0.2 * 0.75);
  EXPECT_DOUBLE_EQ(control.survival({}, 2), 0.75);
  for (int i = 0; i < 50; ++i)
    control.observe({}, 1, 2, 0);
  EXPECT_DOUBLE_EQ(control.survival({}, 0), 0.05); // the floor
}

TEST(CostAwareWidth, ConfidenceIsCalibratedWithinBounds) {
  CostAwareWidth control(8);
  const Draft draft = drafts(1, {0.5f});
  control.observe(draft, 2, 2, 0); // held though only half likely: 1 + 0.1 * (1 / 0.5 - 1)
  EXPECT_DOUBLE_EQ(control.survival(draft, 0), 1.1 * 0.5);
  for (int i = 0; i < 50; ++i)
    control.observe(draft, 2, 2, 0);
  EXPECT_DOUBLE_EQ(control.survival(draft, 0), 1.5 * 0.5);
  for (int i = 0; i < 50; ++i)
    control.observe(draft, 1, 2, 0);
  EXPECT_DOUBLE_EQ(control.survival(draft, 0), 0.25 * 0.5);
}

TEST(CostAwareWidth, MeasuredCostsReplaceAndScaleThePrior) {
  CostAwareWidth control(8);
  EXPECT_DOUBLE_EQ(control.cost(2), 75);
  control.observe({}, 1, 3, 50); // prior 100: half a millisecond a unit
  EXPECT_DOUBLE_EQ(control.cost(3), 50);
  EXPECT_DOUBLE_EQ(control.cost(2), 37.5);
  control.observe({}, 1, 3, 100);
  EXPECT_DOUBLE_EQ(control.cost(3), 60); // 50 + 0.2 * 50
}

TEST(CostAwareWidth, AmongNearlyEqualWidthsTheWidest) {
  CostAwareWidth control(2);
  warmUp(control);
  // Two rows gain (1 + c) / 75 against 1 / 60: equal at c = 0.25, within 3 percent from c = 0.2125 on.
  EXPECT_EQ(control.rows(drafts(1, {0.22f})), 2);
  EXPECT_EQ(control.rows(drafts(1, {0.20f})), 1);
}
