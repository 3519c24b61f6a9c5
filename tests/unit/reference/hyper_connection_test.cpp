#include <cmath>

#include <gmock/gmock.h>

#include "ir/reference/Reference.h"

using namespace ds4::reference;
using testing::DoubleEq;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::Pointwise;

// S = 2 streams of width 1: z = (3, 4), so every product with a unit row is 3 or 4 over rms sqrt(12.5).
TEST(HcCoefficients, GroupsAreReadWriteAndMix) {
  std::vector<float> fn{1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1}, base{0, 1, 2, 3, 4, 5, 6, 7}, scale{1, 10, 100};
  Tensor out = hcCoefficients(Tensor({1, 2, 1}, {3, 4}), {{8, 2}, fn}, {{8}, base}, {{3}, scale}, 0);
  double a = 3 / std::sqrt(12.5), b = 4 / std::sqrt(12.5);
  EXPECT_THAT(out.shape, ElementsAre(1, 8));
  EXPECT_THAT(out.values, ElementsAre(DoubleEq(a), DoubleEq(b + 1), DoubleEq(10 * a + 2), DoubleEq(10 * b + 3),
                                      DoubleEq(100 * a + 4), DoubleEq(100 * b + 5), DoubleEq(100 * a + 6), DoubleEq(100 * b + 7)));
}

// The check vector of the model description, section 4.
TEST(Sinkhorn, CheckVectorOfTheModel) {
  constexpr double kScale[] = {0.9, 1.1, 0.7};
  Tensor c({1, 24});
  for (int i = 0; i < 24; ++i)
    c.values[i] = (i - 11.5) / 6 * kScale[std::min(i / 4, 2)] + 0.05 * (7 * i % 5 - 2);
  Sinkhorn out = sinkhorn(c, 20, 1e-6);
  EXPECT_THAT(out.pre.values, Pointwise(DoubleNear(6e-8), {.1388360, .1715058, .2099886, .2099886}));
  EXPECT_THAT(out.post.values, Pointwise(DoubleNear(6e-8), {.4199753, .4311417, .5346123, .6525858}));
  EXPECT_THAT(out.comb.shape, ElementsAre(1, 4, 4));
  EXPECT_THAT(out.comb.values,
              Pointwise(DoubleNear(6e-8), {.2457284, .2618242, .2306221, .2618242, .2779200, .2306222, .2608347, .2306221, .2457284,
                                           .2618242, .2306221, .2618242, .2306222, .2457284, .2779200, .2457284}));
}

TEST(Sinkhorn, IterationsMayBeLeftForLater) {
  Tensor c({2, 24});
  for (int i = 0; i < 48; ++i)
    c.values[i] = std::sin(i) * 2;
  const Tensor whole = sinkhorn(c, 20, 1e-6).comb;
  for (int later : {0, 1, 7, 19})
    EXPECT_THAT(continueSinkhorn(sinkhorn(c, 20 - later, 1e-6).comb, later, 1e-6).values, Pointwise(DoubleEq(), whole.values));
}

// One iteration of one 1 x 1 matrix: softmax gives 1 + eps, the column division (1 + eps) / (1 + 2 eps).
TEST(Sinkhorn, EpsilonIsAddedAfterTheSoftmaxAndToEachSum) {
  Sinkhorn out = sinkhorn(Tensor({1, 3}, {0, 0, 5}), 1, 0.5);
  EXPECT_THAT(out.pre.values, ElementsAre(1.0));
  EXPECT_THAT(out.post.values, ElementsAre(1.0));
  EXPECT_THAT(out.comb.values, ElementsAre(0.75));
}

TEST(HcRead, SumsTheStreamsByTheirCoefficient) {
  Tensor out = hcRead(Tensor({1, 2, 2}, {1, 2, 10, 20}), Tensor({1, 2}, {3, 0.5}));
  EXPECT_THAT(out.shape, ElementsAre(1, 2));
  EXPECT_THAT(out.values, ElementsAre(8, 16));
}

TEST(HcWrite, SumsOverTheFirstIndexOfTheMatrix) {
  Tensor streams({1, 2, 1}, {1, 10}), post({1, 2}, {100, 1000}), comb({1, 2, 2}, {1, 2, 3, 4});
  EXPECT_THAT(hcWrite(Tensor({1, 1}, {1}), streams, post, comb).values, ElementsAre(100 + 1 + 30, 1000 + 2 + 40));
}

// fn = 0 and base = 0: every pre is 1/2 + hcEps, every post 1; x = (3 + 1) / 2 + ..., normalised to its sign times the weight.
TEST(HcSite, WritesBeforeItReads) {
  std::vector<float> fn(16, 0), base(8, 0), scale{1, 1, 1}, norm{5};
  Tensor streams({1, 2, 1}, {1, 10}), y({1, 1}, {1}), post({1, 2}, {100, 1000}), comb({1, 2, 2}, {1, 2, 3, 4});
  HcSiteOptions options{.iterations = 1, .eps = 1e-6, .hcEps = 0, .normEps = 0, .y = &y, .post = &post, .comb = &comb};
  HcSite out = hcSite(streams, {{8, 2}, fn}, {{8}, base}, {{3}, scale}, {{1}, norm}, options);
  EXPECT_THAT(out.streams.values, ElementsAre(131, 1042));
  EXPECT_THAT(out.post.values, ElementsAre(1, 1));
  EXPECT_THAT(out.comb.values, ElementsAre(.5, .5, .5, .5));
  EXPECT_THAT(out.x.values, ElementsAre(DoubleEq(5)));
  options.y = nullptr;
  EXPECT_THAT(hcSite(streams, {{8, 2}, fn}, {{8}, base}, {{3}, scale}, {{1}, norm}, options).streams.values, ElementsAre(1, 10));
}

TEST(HcSite, LeavesIterationsAndMakesThoseThatAreDue) {
  std::vector<float> fn(16, 0), base{0, 0, 0, 0, 1, 2, 3, 5}, scale{1, 1, 1}, norm{5};
  Tensor streams({1, 2, 1}, {1, 10}), y({1, 1}, {1}), post({1, 2}, {100, 1000}), comb({1, 2, 2}, {1, 2, 3, 4});
  HcSiteOptions options{.iterations = 6, .y = &y, .post = &post, .comb = &comb};
  const auto site = [&] { return hcSite(streams, {{8, 2}, fn}, {{8}, base}, {{3}, scale}, {{1}, norm}, options); };
  const Tensor whole = site().comb, written = hcWrite(y, streams, post, continueSinkhorn(comb, 3, options.hcEps));
  options.deferred = 2;
  EXPECT_THAT(continueSinkhorn(site().comb, 2, options.hcEps).values, Pointwise(DoubleEq(), whole.values));
  options.due = 3;
  EXPECT_THAT(site().streams.values, Pointwise(DoubleEq(), written.values));
}

TEST(HcHead, WeighsByASigmoidPlusEpsilon) {
  std::vector<float> fn(8, 0), base{0, 0}, scale{5};
  Tensor out = hcHead(Tensor({1, 2, 2}, {1, 2, 3, 4}), {{2, 4}, fn}, {{2}, base}, {{1}, scale}, 1e-6, 0.25);
  EXPECT_THAT(out.values, ElementsAre(3, 4.5));
}

TEST(HcHead, NormsAllStreamsTogetherAndScales) {
  std::vector<float> fn{1, 0, 0, 1}, base{0, -1}, scale{2};
  Tensor out = hcHead(Tensor({1, 2, 1}, {3, 4}), {{2, 2}, fn}, {{2}, base}, {{1}, scale}, 0, 0);
  double rms = std::sqrt(12.5), first = 1 / (1 + std::exp(-6 / rms)), second = 1 / (1 + std::exp(-8 / rms + 1));
  EXPECT_THAT(out.values, ElementsAre(DoubleEq(first * 3 + second * 4)));
}
