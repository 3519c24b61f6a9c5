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

// x = 1, gate = 0: silu(0) = 0; x = 2 with gate 1000 is clamped to 1, up -1000 to -1: silu(1) * -1.
TEST(MoeGateUp, ClampsAndLeavesUnusedSlotsZero) {
  std::vector<float> gate{0, 1000}, up{1, -1000};
  const Tensor ids({1, 4}, {1, 1, -1, 0}), weights({1, 4}, {0.5, 0, 1, 1});
  const Tensor out = moeGateUp(Tensor({1, 1}, {2}), ids, weights, {{2, 1, 1}, gate}, {{2, 1, 1}, up}, 1);
  EXPECT_THAT(out.values, ElementsAre(DoubleEq(-1 / (1 + std::exp(-1.))), 0, 0, 0));
}

TEST(MoeDown, WeighsSkipsAndAddsTheSharedExpert) {
  std::vector<float> down{10, 100}, shared{1000};
  const Tensor h({1, 3, 1}, {1, NAN, 2}), ids({1, 3}, {0, 1, 1}), weights({1, 3}, {2, 0, 3});
  EXPECT_THAT(moeDown(h, ids, weights, {{2, 1, 1}, down}, Tensor({1, 1}, {5}), {{1, 1}, shared}).values, ElementsAre(20 + 600 + 5000));
}

TEST(MoeRoute, RoutesAndFeedsTheSharedExpert) {
  std::vector<float> router{1, 3, 2}, bias(3, 0), gate{1}, up{1}, table{2, 0};
  const Tensor x({1, 1}, {1}), tokens({1}, {0});
  const Weight biasWeight{{3}, bias}, tableWeight{{1, 2}, table};
  MoeRouteOptions options{.k = 2, .scale = 1, .limit = 10, .bias = &biasWeight};
  const MoeRoute learned = moeRoute(x, {{3, 1}, router}, {{1, 1}, gate}, {{1, 1}, up}, options);
  EXPECT_THAT(learned.routing.ids.values, ElementsAre(1, 2));
  EXPECT_THAT(learned.hidden.values, ElementsAre(DoubleEq(1 / (1 + std::exp(-1.)))));
  options = {.k = 2, .scale = 1, .limit = 10, .tokens = &tokens, .table = &tableWeight};
  EXPECT_THAT(moeRoute(x, {{3, 1}, router}, {{1, 1}, gate}, {{1, 1}, up}, options).routing.ids.values, ElementsAre(2, 0));
}
