#include "runtime/speculation/NgramDrafter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace ds4;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

std::vector<int32_t> draft(NgramDrafter &drafter, const std::vector<int32_t> &context, int count) {
  return drafter.draft(context, count).tokens;
}

} // namespace

TEST(NgramDrafter, RepeatsWhatFollowed) {
  NgramDrafter drafter;
  EXPECT_THAT(draft(drafter, {1, 2, 3, 4, 5, 9, 1, 2}, 3), ElementsAre(3, 4, 5));
  EXPECT_TRUE(drafter.draft(std::vector<int32_t>{1, 2, 3, 1, 2}, 1).confidence.empty());
}

TEST(NgramDrafter, HasNoIdeaWithoutARepetitionOfTwo) {
  NgramDrafter drafter;
  EXPECT_THAT(draft(drafter, {}, 3), IsEmpty());
  EXPECT_THAT(draft(drafter, {7}, 3), IsEmpty());
  EXPECT_THAT(draft(drafter, {7, 8}, 3), IsEmpty());
  EXPECT_THAT(draft(drafter, {7, 1, 2, 7}, 3), IsEmpty()); // one token is no evidence
}

TEST(NgramDrafter, PrefersTheLongerMatchThenTheLater) {
  NgramDrafter drafter;
  // 2 3 was followed by 8 last, 1 2 3 by 5.
  EXPECT_THAT(draft(drafter, {1, 2, 3, 5, 2, 3, 8, 1, 2, 3}, 1), ElementsAre(5));
  EXPECT_THAT(draft(drafter, {2, 3, 5, 2, 3, 8, 2, 3}, 1), ElementsAre(8));
}

TEST(NgramDrafter, GoesOnThroughAPeriod) {
  NgramDrafter drafter;
  EXPECT_THAT(draft(drafter, {6, 1, 2, 1, 2}, 5), ElementsAre(1, 2, 1, 2, 1));
  EXPECT_THAT(draft(drafter, {4, 4, 4}, 3), ElementsAre(4, 4, 4));
}

TEST(NgramDrafter, SeesOnlyTheContextItIsGiven) {
  NgramDrafter drafter;
  EXPECT_THAT(draft(drafter, {1, 2, 3, 4, 1, 2}, 2), ElementsAre(3, 4));
  EXPECT_THAT(draft(drafter, {1, 2, 3, 4, 1, 2, 3}, 2), ElementsAre(4, 1)); // grows
  EXPECT_THAT(draft(drafter, {5, 6, 1, 2}, 2), IsEmpty());                  // another sequence
  EXPECT_THAT(draft(drafter, {5, 6, 1, 5, 6}, 1), ElementsAre(1));
}
