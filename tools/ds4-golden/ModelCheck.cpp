#include "tools/ds4-golden/ModelCheck.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "support/Error.h"

namespace ds4::golden {
namespace {

constexpr double kLogitLimit = 1e-3;
constexpr double kStreamLimit = 1e-4;       // relative RMS
constexpr double kRouterWeightLimit = 1e-4; // relative RMS
constexpr double kGreedyMargin = 2e-3;      // a closer decision may fall otherwise
constexpr double kChoiceMargin = 1e-5;      // likewise, of a selected row
constexpr double kMeanDivergenceLimit = 1e-4;

double meanOf(const std::vector<double> &values) {
  double sum = 0;
  for (double value : values)
    sum += value;
  return sum / static_cast<double>(values.size());
}

std::string subjectOf(const ModelCase &expected, const ModelCheckOptions &options) {
  return options.exact ? expected.name : expected.name + " f16";
}

class CaseCheck {
public:
  CaseCheck(StepRunner &runner, const ModelDescription &model, const ModelCase &expected, const ModelCheckOptions &options,
            Report &report)
      : runner_(runner), model_(model), case_(expected), options_(options), report_(report) {
    if (case_.tokens.empty() || case_.routerIds.size() != model.blocks)
      userError("case \"{}\" does not fit the model: goldens of another model?", case_.name);
  }

  // Returns the divergence at each compared position.
  std::vector<double> run() {
    runner_.reset();
    feedPrompt();
    compareLastToken();
    compareGreedy();
    add("logits, greatest difference", greatestLogitDifference_, kLogitLimit);
    add("log-sum-exp, greatest difference", greatestSumDifference_, kLogitLimit);
    return divergences_;
  }

private:
  void add(const std::string &quantity, double value, double limit) {
    report_.add(subjectOf(case_, options_), quantity, value, options_.exact ? limit : Report::kNoLimit);
  }

  void feedPrompt() {
    int64_t width = std::min(options_.width, runner_.maxWidth()), count = static_cast<int64_t>(case_.tokens.size());
    for (int64_t first = 0; first < count; first += width) {
      lastWidth_ = std::min(width, count - first);
      auto wanted = [&](const ModelCase::Position &p) { return p.position >= first && p.position < first + lastWidth_; };
      bool head = std::ranges::any_of(case_.positions, wanted) || first + lastWidth_ == count;
      runner_.step(std::span(case_.tokens).subspan(first, lastWidth_), first, head);
      if (!head)
        continue;
      logits_ = runner_.output("logits");
      for (const ModelCase::Position &position : case_.positions)
        if (wanted(position))
          comparePosition(position, partOfToken(logits_, position.position - first, lastWidth_));
    }
  }

  void comparePosition(const ModelCase::Position &position, std::span<const float> logits) {
    const TopLogits &top = position.top;
    for (size_t i = 0; i < top.ids.size(); ++i) {
      if (top.ids[i] < 0 || static_cast<size_t>(top.ids[i]) >= logits.size())
        userError("case \"{}\": token {} is outside the model's vocabulary", case_.name, top.ids[i]);
      keepGreatest(greatestLogitDifference_, std::abs(static_cast<double>(logits[top.ids[i]]) - top.logits[i]));
    }
    keepGreatest(greatestSumDifference_, std::abs(logSumExp(logits) - top.logSumExp));
    if (position.position + 1 < static_cast<int64_t>(case_.tokens.size())) // all logits of the last one are known
      divergences_.push_back(klDivergence(top, logits));
  }

  // NaN stays.
  static void keepGreatest(double &greatest, double value) {
    if (!(value <= greatest) && !std::isnan(greatest))
      greatest = value;
  }

  template <typename T> std::span<const T> last(const std::vector<T> &output) const {
    return partOfToken(output, lastWidth_ - 1, lastWidth_);
  }

  void compareLastToken() {
    std::span<const float> logits = last(logits_);
    keepGreatest(greatestLogitDifference_, greatestDifference(logits, case_.lastLogits));
    divergences_.push_back(klDivergence(case_.lastLogits, logits));
    size_t indexer = 0;
    for (size_t layer = 0; layer < model_.blocks; ++layer) {
      std::string block = fmt::format("blk.{}.", layer);
      std::vector<float> streams = runner_.output(block + "streams");
      add(block + "streams, relative RMS", relativeRms(last(streams), case_.streamsAfterLayer[layer]), kStreamLimit);
      compareRouter(layer, block);
      if (model_.ratios[layer] == 4)
        comparePicks(case_.indexerPicks.at(indexer++), block);
    }
  }

  void compareRouter(size_t layer, const std::string &block) {
    std::vector<int32_t> allIds = runner_.outputIds(block + "router.ids");
    std::vector<float> allWeights = runner_.output(block + "router.weights");
    std::span<const int32_t> ids = last(allIds);
    std::span<const float> weights = last(allWeights);
    const std::vector<int32_t> &expectedIds = case_.routerIds[layer];
    add(block + "router.ids, different", static_cast<double>(setDifference(ids, expectedIds).size()), 0);
    std::vector<float> reordered; // the order of experts is free
    for (int32_t id : expectedIds) {
      auto slot = std::ranges::find(ids, id);
      reordered.push_back(slot == ids.end() ? 0 : weights[slot - ids.begin()]);
    }
    add(block + "router.weights, relative RMS", relativeRms(reordered, case_.routerWeights[layer]), kRouterWeightLimit);
  }

  void comparePicks(const std::vector<int32_t> &expected, const std::string &block) {
    std::vector<int32_t> picks = runner_.outputIds(block + "indexer.picks");
    std::vector<float> scores = runner_.output(block + "indexer.scores");
    size_t visible = case_.tokens.size() / 4;
    int64_t different = 0;
    for (int32_t id : setDifference(last(picks), expected))
      different += choiceMargin(id, last(scores).first(visible), model_.indexerTopK) >= kChoiceMargin;
    add(block + "indexer.picks, different", static_cast<double>(different), 0);
  }

  // The expected tokens are fed, whatever was computed: one close decision must not spoil the following ones.
  void compareGreedy() {
    int64_t different = 0, position = static_cast<int64_t>(case_.tokens.size());
    for (size_t i = 0; i < case_.greedy.size(); ++i) {
      std::vector<int32_t> next = runner_.outputIds("next");
      int32_t chosen = last(next)[0], expected = case_.greedy[i];
      logits_ = runner_.output("logits");
      std::span<const float> logits = last(logits_);
      if (chosen != expected)
        different += chosen < 0 || static_cast<double>(logits[chosen]) - logits[expected] > kGreedyMargin;
      if (i + 1 == case_.greedy.size())
        break;
      runner_.step(std::span(&case_.greedy[i], 1), position++, true);
      lastWidth_ = 1;
    }
    add("greedy tokens, different", static_cast<double>(different), 0);
  }

  StepRunner &runner_;
  const ModelDescription &model_;
  const ModelCase &case_;
  const ModelCheckOptions &options_;
  Report &report_;
  int64_t lastWidth_ = 0;
  std::vector<float> logits_; // of the last step with a head
  double greatestLogitDifference_ = 0, greatestSumDifference_ = 0;
  std::vector<double> divergences_;
};

} // namespace

void checkModel(StepRunner &runner, const ModelDescription &model, const std::vector<ModelCase> &cases,
                const ModelCheckOptions &options, Report &report) {
  std::vector<double> divergences;
  for (const ModelCase &expected : cases) {
    if (options.onCase)
      options.onCase(expected);
    std::vector<double> ofCase = CaseCheck(runner, model, expected, options, report).run();
    report.add(subjectOf(expected, options), "divergence, mean", meanOf(ofCase));
    divergences.insert(divergences.end(), ofCase.begin(), ofCase.end());
  }
  report.add(options.label, "divergence, mean", meanOf(divergences), kMeanDivergenceLimit);
}

} // namespace ds4::golden
