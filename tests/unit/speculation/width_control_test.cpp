// The rules of the width, one by one.
#include "runtime/speculation/WidthControl.h"

#include <gtest/gtest.h>

#include "runtime/speculation/CostAwareWidth.h"
#include "support/Error.h"

using namespace ds4;

namespace {

Draft drafts(size_t count, std::vector<float> confidence = {}) { return {std::vector<int32_t>(count, 1), std::move(confidence)}; }

} // namespace

TEST(AcceptanceFeedback, BeginsWithThreeRows) {
  AcceptanceFeedback control(8);
  EXPECT_EQ(control.wanted(8), 3);
  EXPECT_EQ(control.wanted(2), 2); // no more than there is room for
  EXPECT_EQ(control.wanted(1), 1);
  EXPECT_EQ(control.rows(drafts(1)), 2); // nor than was drafted
}

TEST(AcceptanceFeedback, ProbesOneWiderAfterFullAcceptanceUpToTheGreatest) {
  AcceptanceFeedback control(5);
  for (int width : {3, 4, 5, 5, 5}) {
    EXPECT_EQ(control.wanted(8), width);
    control.observe({}, width, width, 0);
  }
  EXPECT_EQ(control.estimate(), 4); // rows without the confirmed token's
}

TEST(AcceptanceFeedback, FullAcceptanceIsAtLeastAndNotAveraged) {
  AcceptanceFeedback control(8);
  control.observe({}, 2, 2, 0); // both rows of a short step right: the average would fall to 1.75
  EXPECT_EQ(control.estimate(), 3);
}

TEST(AcceptanceFeedback, GoesBackByTheAcceptedPrefix) {
  AcceptanceFeedback control(8);
  control.observe({}, 3, 3, 0);
  control.observe({}, 4, 4, 0);
  ASSERT_EQ(control.estimate(), 4);
  control.observe({}, 2, 5, 0); // one draft right: 0.75 * 4 + 0.25 * 1
  EXPECT_DOUBLE_EQ(control.estimate(), 3.25);
  EXPECT_EQ(control.wanted(8), 4);
}

TEST(AcceptanceFeedback, NeverBelowTwoRows) {
  AcceptanceFeedback control(8);
  for (int i = 0; i < 20; ++i)
    control.observe({}, 1, 2, 0);
  EXPECT_LT(control.estimate(), 0.1);
  EXPECT_EQ(control.wanted(8), 2);
}

TEST(AcceptanceFeedback, AStepWithoutDraftsSaysNothing) {
  AcceptanceFeedback control(8);
  control.observe({}, 1, 1, 0);
  EXPECT_EQ(control.estimate(), 2);
}

TEST(ConfidencePolicy, TheThirdRowNeedsBothFirstDrafts) {
  ConfidencePolicy control;
  EXPECT_EQ(control.wanted(8), 4);
  EXPECT_EQ(control.rows(drafts(3, {0.625f, 0.625f, 0.1f})), 2); // 0.39
  EXPECT_EQ(control.rows(drafts(3, {0.8f, 0.51f, 0.1f})), 3);
  EXPECT_EQ(control.rows(drafts(3, {0.3f, 0.9f, 0.9f})), 2);
}

TEST(ConfidencePolicy, TheFourthRowNeedsAllThree) {
  ConfidencePolicy control;
  EXPECT_EQ(control.rows(drafts(3, {0.75f, 0.75f, 0.53f})), 3); // 0.298
  EXPECT_EQ(control.rows(drafts(3, {0.75f, 0.75f, 0.54f})), 4);
  EXPECT_EQ(control.rows(drafts(7, std::vector<float>(7, 1.0f))), 4); // and never a fifth
  EXPECT_EQ(control.rows(drafts(1, {1.0f})), 2);
  EXPECT_EQ(control.rows(drafts(3)), 2); // no confidences
}

TEST(FixedWidth, IsFixed) {
  FixedWidth control(5);
  control.observe({}, 1, 5, 0);
  EXPECT_EQ(control.wanted(8), 5);
  EXPECT_EQ(control.wanted(3), 3);
  EXPECT_EQ(control.rows(drafts(7)), 5);
  EXPECT_EQ(control.rows(drafts(2)), 3);
}

TEST(MakeWidthControl, ChoosesByNameAndNumberWins) {
  EXPECT_TRUE(dynamic_cast<AcceptanceFeedback *>(makeWidthControl("auto", 8, false).get()));
  EXPECT_TRUE(dynamic_cast<ConfidencePolicy *>(makeWidthControl("auto", 8, true).get()));
  EXPECT_TRUE(dynamic_cast<AcceptanceFeedback *>(makeWidthControl("feedback", 8, true).get()));
  EXPECT_TRUE(dynamic_cast<ConfidencePolicy *>(makeWidthControl("confidence", 8, false).get()));
  EXPECT_TRUE(dynamic_cast<CostAwareWidth *>(makeWidthControl("cost", 8, true).get()));
  EXPECT_EQ(makeWidthControl("6", 8, true)->wanted(8), 6);
  for (const char *wrong : {"", "0", "9", "-1", "3x", "wide"})
    EXPECT_THROW(makeWidthControl(wrong, 8, false), Error) << wrong;
}
