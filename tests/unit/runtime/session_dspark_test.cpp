// The bundled drafter changes the steps and never the tokens, is right often enough to be of use, and drafts the same wherever the
// sequence came from.
#include <numeric>

#include <gtest/gtest.h>

#include "tests/unit/runtime/DrafterFixture.h"

using namespace ds4;

namespace {

const std::vector<int32_t> kPrompt{0, 47, 84, 268, 3229, 582, 2973}; // "In the beginning God created"
constexpr int64_t kTokens = 48;

class DsparkTest : public testing::Test {
protected:
  void SetUp() override {
    if (!model_.target)
      model_ = DraftingModel::load(DS4C_TINY_MODEL, DS4C_TINY_DRAFTER, DS4C_TINY_PLAN "-dspark-640.ds4plan");
  }
  static void TearDownTestSuite() {
    model_.drafter.reset();
    model_.target.reset();
  }

  static std::vector<int32_t> generate(SamplingOptions sampling, Speculation *speculation) {
    Session session(*model_.target, sampling);
    session.feed(kPrompt);
    return session.generate(kTokens, {}, {}, speculation);
  }
  static Speculation drafting(std::unique_ptr<WidthControl> control) {
    return {std::make_unique<BorrowedDrafter>(*model_.drafter), std::move(control)};
  }

  static DraftingModel model_;
};

DraftingModel DsparkTest::model_;

} // namespace

TEST_F(DsparkTest, EveryWidthGivesPlainTokens) {
  const std::vector<int32_t> plain = generate({}, nullptr);
  for (int width = 2; width <= 8; ++width) {
    std::vector<int> accepted;
    Speculation speculation = drafting(std::make_unique<RecordingWidth>(width, accepted));
    EXPECT_EQ(generate({}, &speculation), plain) << width;
    const double mean = std::accumulate(accepted.begin(), accepted.end(), 0.0) / static_cast<double>(accepted.size());
    std::printf("width %d: %.2f drafts accepted a round, %.2f tokens a step\n", width, mean, mean + 1);
    EXPECT_GT(mean, width == 2 ? 0.4 : 0.7) << width;
    EXPECT_EQ(speculation.counts().stepsOfWidth[7] + speculation.counts().stepsOfWidth[8], 0); // a block has five drafts
  }
}

TEST_F(DsparkTest, ConfidenceChoosesTheWidth) {
  Speculation speculation = drafting(makeWidthControl("auto", 8, /*confidences=*/true));
  EXPECT_EQ(generate({}, &speculation), generate({}, nullptr));
  const SpeculationCounts &counts = speculation.counts();
  EXPECT_GT(counts.accepted, counts.steps / 2);
  EXPECT_GT(counts.stepsOfWidth[2], 0);
  EXPECT_GT(counts.stepsOfWidth[3] + counts.stepsOfWidth[4], 0);
}

TEST_F(DsparkTest, SampledTokensStayTheSame) {
  const SamplingOptions sampling{.temperature = 0.8f, .topP = 0.95f, .seed = 11};
  Speculation speculation = drafting(std::make_unique<FixedWidth>(4));
  EXPECT_EQ(generate(sampling, &speculation), generate(sampling, nullptr));
}

// What is drafted depends on the sequence alone: not on the widths that it was fed in, on drafts before, or on a way back of as
// many tokens as a session takes back.
TEST_F(DsparkTest, DraftsDependOnTheSequenceAlone) {
  Session session(*model_.target);
  std::vector<int32_t> sequence = kPrompt;
  while (sequence.size() < 160)
    sequence.push_back(static_cast<int32_t>(100 + sequence.size() * 37 % 3900));
  const auto context = std::span(sequence).first(150);

  session.reset();
  session.feed(context.first(149), 1);
  const Draft expected = model_.drafter->draft(context, 5);
  ASSERT_EQ(expected.tokens.size(), 5u);
  ASSERT_EQ(expected.confidence.size(), 5u);

  session.reset();
  session.feed(context.first(149), 8, /*more=*/true); // without heads
  EXPECT_EQ(model_.drafter->draft(context, 5).confidence, expected.confidence);
  const std::vector<int32_t> wrong(8, 7);
  session.feed(wrong, 3);
  std::vector<int32_t> other = sequence;
  std::copy(wrong.begin(), wrong.end(), other.begin() + 149);
  model_.drafter->draft(std::span(other).first(158), 5); // leaves rows of its own behind
  EXPECT_EQ(session.reuse(std::span(sequence).first(150)), 149);
  const Draft again = model_.drafter->draft(context, 5);
  EXPECT_EQ(again.tokens, expected.tokens);
  EXPECT_EQ(again.confidence, expected.confidence);
  EXPECT_EQ(model_.drafter->draft(context, 2).tokens.size(), 2u);
}

TEST_F(DsparkTest, DraftsNothingWhereTheContextEnds) {
  const int64_t context = model_.target->plan().context;
  EXPECT_TRUE(model_.drafter->draft(std::vector<int32_t>(static_cast<size_t>(context - 3), 5), 5).tokens.empty());
}
