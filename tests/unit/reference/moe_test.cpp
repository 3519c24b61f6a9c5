#include <cmath>

#include <gmock/gmock.h>

#include "ir/reference/Reference.h"
#include "support/Error.h"

using namespace ds4::reference;
using testing::DoubleEq;
using testing::DoubleNear;
using testing::ElementsAre;

// sqrt(ln(1 + e^l)) = s for l = ln(e^(s^2) - 1).
static double logitOfScore(double score) { return std::log(std::exp(score * score) - 1); }

TEST(Router, WeightsAreTheShareOfTheScores) {
  std::vector<float> bias(3, 0);
  Tensor logits({1, 3}, {logitOfScore(1), logitOfScore(0.5), logitOfScore(3)});
  Routing out = router(logits, {{3}, bias}, 2, 1.5);
  EXPECT_THAT(out.ids.values, ElementsAre(2, 0));
  EXPECT_THAT(out.weights.values, ElementsAre(DoubleEq(1.125), DoubleEq(0.375)));
}

TEST(Router, TheBiasChoosesButDoesNotWeigh) {
  std::vector<float> bias{0, 10, 0};
  Tensor logits({1, 3}, {logitOfScore(1), logitOfScore(3), logitOfScore(2)});
  Routing out = router(logits, {{3}, bias}, 2, 5);
  EXPECT_THAT(out.ids.values, ElementsAre(1, 2));
  EXPECT_THAT(out.weights.values, ElementsAre(DoubleEq(3), DoubleEq(2)));
}

TEST(Router, LowerIndexFirstAmongEquals) {
  std::vector<float> bias(4, 0);
  EXPECT_THAT(router(Tensor({1, 4}, {1, 2, 2, 2}), {{4}, bias}, 2, 1).ids.values, ElementsAre(1, 2));
}

TEST(Router, ExtremeLogitsStayFinite) {
  std::vector<float> bias(2, 0);
  Routing out = router(Tensor({1, 2}, {1000, -600}), {{2}, bias}, 2, 1);
  EXPECT_THAT(out.weights.values, ElementsAre(DoubleEq(1), DoubleNear(std::exp(-300.) / std::sqrt(1000.), 1e-140)));
}

TEST(HashRouter, TakesTheIdsOfTheTokensRow) {
  std::vector<float> table{0, 1, 2, 0};
  Tensor logits({1, 3}, {logitOfScore(1), logitOfScore(3), logitOfScore(3)});
  Routing out = hashRouter(logits, Tensor({1}, {1}), {{2, 2}, table}, 4);
  EXPECT_THAT(out.ids.values, ElementsAre(2, 0));
  EXPECT_THAT(out.weights.values, ElementsAre(DoubleEq(3), DoubleEq(1)));
  EXPECT_THROW(hashRouter(logits, Tensor({1}, {2}), {{2, 2}, table}, 4), ds4::Error);
}

TEST(ExpertLinear, EachSlotHasItsExpertAndAForeignIdGivesZeros) {
  std::vector<float> w{1, 1, 10, 100};
  Tensor ids({2, 2}, {1, 0, -1, 2});
  Tensor out = expertLinear(Tensor({2, 2}, {1, 2, 3, 4}), ids, {{2, 1, 2}, w});
  EXPECT_THAT(out.shape, ElementsAre(2, 2, 1));
  EXPECT_THAT(out.values, ElementsAre(210, 3, 0, 0));
}

TEST(ExpertLinear, AnInputPerSlot) {
  std::vector<float> w{1, 1, 10, 100};
  Tensor out = expertLinear(Tensor({1, 2, 2}, {1, 2, 3, 4}), Tensor({1, 2}, {1, 1}), {{2, 1, 2}, w});
  EXPECT_THAT(out.values, ElementsAre(210, 430));
}

TEST(Combine, WeighsTheSlots) {
  EXPECT_THAT(combine(Tensor({1, 2, 2}, {1, 2, 3, 4}), Tensor({1, 2}, {10, 100})).values, ElementsAre(310, 420));
}

TEST(Combine, ASlotOfWeightZeroIsNotRead) {
  EXPECT_THAT(combine(Tensor({1, 2, 1}, {NAN, 3}), Tensor({1, 2}, {0, 2})).values, ElementsAre(6));
}
