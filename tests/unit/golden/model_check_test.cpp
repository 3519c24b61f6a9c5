// checkModel() on a runner that answers from a table: which deviation makes which row fail.
#include <algorithm>
#include <cmath>
#include <map>

#include <gmock/gmock.h>

#include "support/Error.h"
#include "tools/ds4-golden/ModelCheck.h"

using namespace ds4;
using namespace ds4::golden;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

// A model of one indexed layer; every token has the same outputs.
class TableRunner : public StepRunner {
public:
  int maxWidth() const override { return 2; }
  void reset() override {}
  void setInput(const std::string &, std::span<const float>) override {}
  void step(std::span<const int32_t> tokens, int64_t pos, bool) override {
    steps.push_back({pos, tokens.begin(), tokens.end()});
    width_ = tokens.size();
  }
  std::vector<float> output(const std::string &name) override { return repeat(floats.at(name)); }
  std::vector<int32_t> outputIds(const std::string &name) override { return repeat(ids.at(name)); }
  int64_t stateRows(const std::string &) const override { return 0; }
  std::vector<float> readState(const std::string &, int64_t, int64_t) override { return {}; }
  void writeState(const std::string &, int64_t, std::span<const float>) override {}

  struct Taken {
    int64_t pos;
    std::vector<int32_t> tokens;
    Taken(int64_t pos, auto begin, auto end) : pos(pos), tokens(begin, end) {}
  };
  std::vector<Taken> steps;
  std::map<std::string, std::vector<float>> floats{
      {"logits", {0, 3, 1}}, {"blk.0.streams", {1, 2}}, {"blk.0.router.weights", {0.5, 1}}, {"blk.0.indexer.scores", {1, 2}}};
  std::map<std::string, std::vector<int32_t>> ids{{"next", {1}}, {"blk.0.router.ids", {4, 2}}, {"blk.0.indexer.picks", {1}}};

private:
  template <typename T> std::vector<T> repeat(const std::vector<T> &ofToken) const {
    std::vector<T> all;
    for (size_t t = 0; t < width_; ++t)
      all.insert(all.end(), ofToken.begin(), ofToken.end());
    return all;
  }
  size_t width_ = 1;
};

ModelDescription model() {
  ModelDescription description;
  description.blocks = 1;
  description.ratios = {4};
  description.indexerTopK = 1;
  return description;
}

// What TableRunner answers, as expected values; eight prompt tokens make two compressed rows.
ModelCase expected() {
  ModelCase result;
  result.name = "case";
  result.tokens = {0, 1, 2, 0, 1, 2, 0, 1};
  result.lastLogits = {0, 3, 1};
  result.positions = {{2, {.ids = {1}, .logits = {3}, .logSumExp = std::log(1 + std::exp(1.0) + std::exp(3.0))}},
                      {7, {.ids = {1}, .logits = {3}, .logSumExp = std::log(1 + std::exp(1.0) + std::exp(3.0))}}};
  result.greedy = {1, 1};
  result.routerIds = {{2, 4}};
  result.routerWeights = {{1, 0.5}};
  result.indexerPicks = {{1}};
  result.streamsAfterLayer = {{1, 2}};
  return result;
}

// The quantities of the rows that do not hold.
std::vector<std::string> failures(TableRunner &runner, const ModelCase &of, bool exact = true) {
  Report report;
  checkModel(runner, model(), {of}, {.width = 8, .exact = exact}, report);
  std::vector<std::string> result;
  for (const Report::Row &row : report.rows())
    if (!row.holds())
      result.push_back(row.quantity);
  return result;
}

} // namespace

TEST(ModelCheck, AgreementPasses) {
  TableRunner runner;
  EXPECT_THAT(failures(runner, expected()), IsEmpty());
}

TEST(ModelCheck, FeedsThePromptInStepsThenTheGreedyTokens) {
  TableRunner runner;
  failures(runner, expected());
  ASSERT_EQ(runner.steps.size(), 5u);
  EXPECT_EQ(runner.steps[3].pos, 6);
  EXPECT_THAT(runner.steps[3].tokens, ElementsAre(0, 1));
  EXPECT_EQ(runner.steps[4].pos, 8);
  EXPECT_THAT(runner.steps[4].tokens, ElementsAre(1));
}

TEST(ModelCheck, LogitsHaveALimit) {
  TableRunner runner;
  runner.floats["logits"] = {0.0011f, 3, 1};
  EXPECT_THAT(failures(runner, expected()), ElementsAre("logits, greatest difference"));
}

TEST(ModelCheck, StreamsAndWeightsHaveALimit) {
  TableRunner runner;
  runner.floats["blk.0.streams"] = {1, 2.001f};
  runner.floats["blk.0.router.weights"] = {1, 0.5}; // of experts 4 and 2
  EXPECT_THAT(failures(runner, expected()), ElementsAre("blk.0.streams, relative RMS", "blk.0.router.weights, relative RMS"));
}

TEST(ModelCheck, AnotherExpertIsSeen) {
  TableRunner runner;
  runner.ids["blk.0.router.ids"] = {4, 3};
  EXPECT_THAT(failures(runner, expected()), ElementsAre("blk.0.router.ids, different", "blk.0.router.weights, relative RMS"));
}

TEST(ModelCheck, AnotherPickIsSeenUnlessItWasClose) {
  TableRunner runner;
  runner.ids["blk.0.indexer.picks"] = {0};
  EXPECT_THAT(failures(runner, expected()), ElementsAre("blk.0.indexer.picks, different"));
  runner.floats["blk.0.indexer.scores"] = {2, 2.000005f};
  EXPECT_THAT(failures(runner, expected()), IsEmpty());
}

TEST(ModelCheck, AnotherGreedyTokenIsSeenUnlessItWasClose) {
  TableRunner runner;
  ModelCase other = expected();
  other.greedy = {2, 1};
  EXPECT_THAT(failures(runner, other), ElementsAre("greedy tokens, different"));
  runner.floats["logits"] = other.lastLogits = {0, 3, 2.999f};
  other.positions.clear();
  EXPECT_THAT(failures(runner, other), IsEmpty());
}

TEST(ModelCheck, WithRoundedRowsOnlyTheDivergenceCounts) {
  TableRunner runner;
  runner.floats["blk.0.streams"] = {5, 5};
  runner.floats["logits"] = {0, 3.005f, 1};
  EXPECT_THAT(failures(runner, expected(), false), IsEmpty());
  runner.floats["logits"] = {0, 3, 1.2f};
  EXPECT_THAT(failures(runner, expected(), false), ElementsAre("divergence, mean"));
}

TEST(ModelCheck, RefusesAnotherModelsValues) {
  TableRunner runner;
  ModelCase twoLayers = expected();
  twoLayers.routerIds.push_back({0, 1});
  Report report;
  EXPECT_THROW(checkModel(runner, model(), {twoLayers}, {}, report), ds4::Error);
}
