// Speculation changes the steps and never the tokens: on real drafts of every width, and on drafts that are right and wrong by
// turns at every place where state wraps or a window of rows completes. DS4_LONG_TESTS=1 takes 3,000 tokens and all prompts.
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "runtime/speculation/NgramDrafter.h"
#include "support/Error.h"
#include "tests/unit/runtime/SessionFixture.h"

using namespace ds4;

namespace {

const std::vector<int32_t> kPrompt{0, 47, 84, 268, 3229, 582, 2973}; // "In the beginning God created"

// Knows the true continuation and spoils it from a random place on; sometimes it has nothing to say.
class Adversary : public Drafter {
public:
  Adversary(std::vector<int32_t> truth, uint32_t seed) : truth_(std::move(truth)), random_(seed) {}
  Draft draft(std::span<const int32_t> context, int count) override {
    Draft draft;
    const int length = pick(count + 1), right = pick(length + 1);
    for (int i = 0; i < length && context.size() + static_cast<size_t>(i) < truth_.size(); ++i) {
      const int32_t token = truth_[context.size() + static_cast<size_t>(i)];
      draft.tokens.push_back(i < right ? token : (token + 1 + pick(4000)) % 4096);
    }
    return draft;
  }

private:
  int pick(int count) { return static_cast<int>(random_() % static_cast<uint32_t>(count)); }

  std::vector<int32_t> truth_;
  std::mt19937 random_;
};

// Always the same next token at a place, whatever the context.
class Guess : public Drafter {
public:
  explicit Guess(std::vector<int32_t> tokens) : tokens_(std::move(tokens)) {}
  Draft draft(std::span<const int32_t> context, int) override { return {{tokens_[context.size()]}, {}}; }

private:
  std::vector<int32_t> tokens_;
};

Speculation adversary(const std::vector<int32_t> &truth, uint32_t seed) {
  return {std::make_unique<Adversary>(truth, seed), makeWidthControl("8", 8, false)};
}

bool isLong() { return std::getenv("DS4_LONG_TESTS") != nullptr; }

int64_t adversaryTokens() { return isLong() ? 3000 : 280; }

class SpeculationTest : public testing::Test {
protected:
  // Not for the whole suite: a model that does not load there would skip the tests.
  void SetUp() override {
    if (!executor_)
      executor_ = loadBundledModel(4096);
  }
  static void TearDownTestSuite() { executor_.reset(); }

  static std::vector<int32_t> generate(SamplingOptions sampling, int64_t count, Speculation *speculation) {
    Session session(*executor_, sampling);
    session.feed(kPrompt);
    return session.generate(count, {}, {}, speculation);
  }
  // Prompt and continuation.
  static std::vector<int32_t> truth(SamplingOptions sampling, int64_t count) {
    std::vector<int32_t> tokens = kPrompt;
    const std::vector<int32_t> rest = generate(sampling, count, nullptr);
    tokens.insert(tokens.end(), rest.begin(), rest.end());
    return tokens;
  }
  static std::vector<int32_t> continuation(const std::vector<int32_t> &truth) {
    return {truth.begin() + kPrompt.size(), truth.end()};
  }

  static std::unique_ptr<Executor> executor_;
};

std::unique_ptr<Executor> SpeculationTest::executor_;

} // namespace

TEST_F(SpeculationTest, LookUpOfEveryWidthGivesPlainTokens) {
  const std::vector<int32_t> plain = generate({}, 64, nullptr);
  for (const char *width : {"2", "3", "4", "5", "6", "7", "8", "auto", "cost"}) {
    Speculation speculation(std::make_unique<NgramDrafter>(), makeWidthControl(width, 8, false));
    EXPECT_EQ(generate({}, 64, &speculation), plain) << width;
    EXPECT_LT(speculation.counts().steps, 64) << width; // this text repeats itself
    EXPECT_GT(speculation.counts().accepted, 0) << width;
  }
}

// Prompts of many lengths: around 4 and 128, and with more rows than are selected.
TEST_F(SpeculationTest, ReferencePromptsOfEveryWidthGivePlainTokens) {
  const std::string path = DS4C_SHARED_DIR "/goldens/tiny_goldens.json";
  if (!std::filesystem::exists(path))
    GTEST_SKIP() << "no prompts at " << path;
  std::ifstream file(path);
  size_t prompts = 0;
  const nlohmann::json goldens = nlohmann::json::parse(file);
  for (const auto &entry : goldens.at("cases")) {
    const auto prompt = entry.at("tokens").get<std::vector<int32_t>>();
    if (prompt.size() > (isLong() ? 2500 : 130))
      continue;
    ++prompts;
    Session session(*executor_);
    session.feed(prompt);
    session.checkpoint();
    const int64_t count = isLong() ? 32 : 8;
    const std::vector<int32_t> plain = session.generate(count);
    for (int width = 2; width <= 8; ++width) {
      session.feed(std::span(prompt).subspan(static_cast<size_t>(session.reuse(prompt))));
      Speculation speculation(std::make_unique<NgramDrafter>(), std::make_unique<FixedWidth>(width));
      EXPECT_EQ(session.generate(count, {}, {}, &speculation), plain) << entry.at("name") << ", width " << width;
    }
  }
  EXPECT_GT(prompts, 8u);
}

TEST_F(SpeculationTest, AnAdversaryChangesNothing) {
  const std::vector<int32_t> all = truth({}, adversaryTokens());
  Speculation speculation = adversary(all, 1);
  EXPECT_EQ(generate({}, adversaryTokens(), &speculation), continuation(all));
  const SpeculationCounts &counts = speculation.counts();
  EXPECT_GT(counts.accepted, counts.drafted / 4);
  EXPECT_LT(counts.accepted, counts.drafted * 3 / 4);
  for (int rows = 1; rows <= 8; ++rows)
    EXPECT_GT(counts.stepsOfWidth[static_cast<size_t>(rows)], 0) << rows;
}

TEST_F(SpeculationTest, AnAdversaryChangesNoSampleAndNoLogit) {
  const SamplingOptions sampling{.temperature = 1, .topP = 0.95f, .seed = 3};
  const std::vector<int32_t> all = truth(sampling, adversaryTokens());
  const auto lastLogits = [](Speculation *speculation) {
    Session session(*executor_, {.temperature = 1, .topP = 0.95f, .seed = 3});
    session.feed(kPrompt);
    const std::vector<int32_t> tokens = session.generate(adversaryTokens(), {}, {}, speculation);
    session.feed(std::span(tokens).last(1));
    return std::pair(tokens, executor_->output("logits"));
  };
  Speculation speculation = adversary(all, 2);
  EXPECT_EQ(lastLogits(&speculation), lastLogits(nullptr));
}

TEST_F(SpeculationTest, StopsWherePlainGenerationStops) {
  const std::vector<int32_t> all = truth({}, 24), plain = continuation(all);
  for (size_t stop : {3, 4, 5, 9}) {
    Session session(*executor_);
    session.feed(kPrompt);
    Speculation speculation(std::make_unique<Adversary>(all, 5), makeWidthControl("8", 8, false));
    size_t seen = 0;
    const auto until = [&](int32_t) { return ++seen <= stop; };
    const std::vector<int32_t> first = session.generate(24, {}, until, &speculation);
    ASSERT_EQ(first.size(), stop + 1);
    EXPECT_EQ(session.position(), static_cast<int64_t>(kPrompt.size() + stop)); // all but the last are fed
    session.feed(std::span(first).last(1));
    std::vector<int32_t> rest = session.generate(24 - static_cast<int64_t>(first.size()));
    rest.insert(rest.begin(), first.begin(), first.end());
    EXPECT_EQ(rest, plain);
  }
}

// Samples of speculation and of plain decoding are drawn from one distribution: a chi-square test over the second token, for
// seeds that the two do not share.
TEST_F(SpeculationTest, SamplesFollowThePlainDistribution) {
  constexpr int kRuns = 80;
  const std::vector<int32_t> prompt{0, 47};
  Session greedy(*executor_);
  greedy.feed(prompt);
  const std::vector<int32_t> likely = greedy.generate(4);
  std::vector<int32_t> guesses = prompt; // the drafter always guesses the greedy continuation
  guesses.insert(guesses.end(), likely.begin(), likely.end());

  std::map<int32_t, std::array<int, 2>> histogram;
  int accepted = 0;
  for (int speculative = 0; speculative < 2; ++speculative)
    for (int run = 0; run < kRuns; ++run) {
      Session session(*executor_, {.temperature = 1.0f, .topP = 0.95f, .seed = static_cast<uint64_t>(run + 10000 * speculative)});
      session.feed(prompt);
      Speculation speculation(std::make_unique<Guess>(guesses), makeWidthControl("2", 8, false));
      const std::vector<int32_t> tokens = session.generate(3, {}, {}, speculative ? &speculation : nullptr);
      ++histogram[tokens[1]][static_cast<size_t>(speculative)];
      accepted += static_cast<int>(speculation.counts().accepted);
    }
  EXPECT_GT(accepted, 0);
  EXPECT_LT(accepted, kRuns);
  // Two-sample statistic for equal numbers of runs; rare tokens share one class.
  double chi = 0;
  int classes = 0;
  std::array<int, 2> rare{};
  const auto add = [&](std::array<int, 2> n) {
    chi += std::pow(n[0] - n[1], 2) / (n[0] + n[1]);
    ++classes;
  };
  for (const auto &[token, n] : histogram)
    if (n[0] + n[1] >= 10)
      add(n);
    else
      rare = {rare[0] + n[0], rare[1] + n[1]};
  if (rare[0] + rare[1] > 0)
    add(rare);
  ASSERT_GT(classes, 3);
  const double freedom = classes - 1; // 3.7 standard deviations: about one chance in 10,000; the seeds are fixed
  EXPECT_LT(chi, freedom + 3.7 * std::sqrt(2 * freedom)) << classes << " classes";
}
