#include <cmath>

#include <gmock/gmock.h>

#include "support/Error.h"
#include "tools/ds4-golden/Compare.h"

using namespace ds4::golden;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

using Floats = std::vector<float>;
using Ids = std::vector<int32_t>;

const Floats kHalves{0, 0}, kQuarters{0, std::log(3.0f)};                // probabilities 1/2 1/2 and 1/4 3/4
const double kDivergence = 0.5 * std::log(2.0) + 0.5 * std::log(2. / 3); // of the second from the first

} // namespace

TEST(RelativeRms, IsTheErrorOverTheNorm) {
  EXPECT_DOUBLE_EQ(relativeRms(Floats{3, 5}, Floats{3, 4}), 1. / 5);
  EXPECT_EQ(relativeRms(Floats{}, Floats{}), 0);
  EXPECT_TRUE(std::isnan(relativeRms(Floats{NAN}, Floats{1})));
  EXPECT_THROW(relativeRms(Floats{1}, Floats{1, 2}), ds4::Error);
}

TEST(RelativeRms, IsAbsoluteWhereZerosAreExpected) { EXPECT_DOUBLE_EQ(relativeRms(Floats{3, 3}, Floats{0, 0}), 3); }

TEST(GreatestDifference, KeepsNan) {
  EXPECT_EQ(greatestDifference(Floats{1, -5}, Floats{2, -2}), 3);
  EXPECT_TRUE(std::isnan(greatestDifference(Floats{NAN, 5}, Floats{0, 0})));
}

TEST(LogSumExp, DoesNotOverflow) {
  EXPECT_DOUBLE_EQ(logSumExp(Floats{1000, 1000}), 1000 + std::log(2.0));
  EXPECT_NEAR(logSumExp(kQuarters), std::log(4.0), 1e-7);
}

TEST(KlDivergence, OfAllLogits) {
  EXPECT_NEAR(klDivergence(kHalves, kQuarters), kDivergence, 1e-7);
  EXPECT_NEAR(klDivergence(kHalves, Floats{5, 5}), 0, 1e-15);
}

TEST(KlDivergence, OfTheTopAndTheRest) {
  TopLogits top{.ids = {0}, .logits = {0}, .logSumExp = std::log(2.0)};
  EXPECT_NEAR(klDivergence(top, kQuarters), kDivergence, 1e-7);
  EXPECT_NEAR(klDivergence(top, kHalves), 0, 1e-12);
}

TEST(KlDivergence, OfATopThatHoldsEverything) {
  TopLogits top{.ids = {1, 0}, .logits = {0, 0}, .logSumExp = std::log(2.0)};
  EXPECT_NEAR(klDivergence(top, kQuarters), kDivergence, 1e-7);
}

TEST(SetDifference, IgnoresOrderAndPadding) {
  EXPECT_THAT(setDifference(Ids{3, 1, -1}, Ids{1, 3}), IsEmpty());
  EXPECT_THAT(setDifference(Ids{3, 1}, Ids{1, 2, -1}), ElementsAre(2, 3));
}

TEST(ChoiceMargin, IsTheDistanceToTheOtherSide) {
  Floats scores{9, 5, 4, 1};
  EXPECT_EQ(choiceMargin(1, scores, 2), 1); // selected, the best left out has 4
  EXPECT_EQ(choiceMargin(0, scores, 2), 5);
  EXPECT_EQ(choiceMargin(3, scores, 2), 4); // left out, the worst selected has 5
}

TEST(ChoiceMargin, IsInfiniteWithoutAChoice) {
  EXPECT_TRUE(std::isinf(choiceMargin(1, Floats{1, 2}, 2)));
  EXPECT_TRUE(std::isinf(choiceMargin(7, Floats{1, 2}, 1)));
}
