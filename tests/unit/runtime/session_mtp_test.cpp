// The next-token block as a drafter: its drafts are the expected ones, they depend on the sequence alone, and no text changes by
// them.
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "runtime/speculation/MtpDrafter.h"
#include "tests/unit/runtime/DrafterFixture.h"

using namespace ds4;

namespace {

class MtpTest : public testing::Test {
protected:
  void SetUp() override {
    if (model_.target)
      return;
    model_ = DraftingModel::load(DS4C_MTP_MODEL, DS4C_MTP_MODEL, DS4C_MTP_PLAN);
    expected_ = nlohmann::json::parse(std::ifstream(DS4C_SOURCE_DIR "/tests/goldens/mtp/ds4-tiny-synth.json"));
    tokens_ = expected_.at("tokens").get<std::vector<int32_t>>();
  }
  static void TearDownTestSuite() {
    model_.drafter.reset();
    model_.target.reset();
  }

  static MtpDrafter &drafter() { return dynamic_cast<MtpDrafter &>(*model_.drafter); }
  // The tokens up to the confirmed one behind position `pos`.
  static std::span<const int32_t> contextBehind(int64_t pos) { return std::span(tokens_).first(static_cast<size_t>(pos) + 2); }
  static std::vector<int32_t> draftBehind(int64_t pos, int count = 3) { return drafter().draft(contextBehind(pos), count).tokens; }
  static std::vector<int32_t> generate(const SamplingOptions &sampling, Speculation *speculation) {
    Session session(*model_.target, sampling);
    session.feed(std::span(tokens_).first(124));
    return session.generate(8, {}, {}, speculation);
  }

  static DraftingModel model_;
  static nlohmann::json expected_;
  static std::vector<int32_t> tokens_;
};

DraftingModel MtpTest::model_;
nlohmann::json MtpTest::expected_;
std::vector<int32_t> MtpTest::tokens_;

} // namespace

// Position by position as they come, so that the drafter catches up on one row, on some, and on a whole window.
TEST_F(MtpTest, DraftsAreTheExpectedOnes) {
  Session session(*model_.target);
  int64_t fed = 0;
  for (const auto &entry : expected_.at("cases")) {
    const auto pos = entry.at("position").get<int64_t>();
    session.feed(std::span(tokens_).subspan(static_cast<size_t>(fed), static_cast<size_t>(pos + 1 - fed)));
    fed = pos + 1;

    draftBehind(pos, 1);
    const std::vector<float> streams = drafter().executor().output("streams");
    const auto row = std::span(streams).last(4 * 256);
    const auto values = entry.at("streams").get<std::vector<double>>();
    for (size_t i = 0; i < values.size(); ++i)
      EXPECT_NEAR(row[i * 97], values[i], 1e-4) << "position " << pos << ", channel " << i * 97;

    std::vector<int32_t> chain;
    for (const auto &draft : entry.at("chain")) {
      EXPECT_GT(draft.at("gap").get<double>(), 2e-3); // else another draft would be right, too
      chain.push_back(draft.at("draft").get<int32_t>());
    }
    EXPECT_EQ(draftBehind(pos), chain) << "position " << pos;
  }
}

TEST_F(MtpTest, AnyWidthGivesPlainTokens) {
  const std::vector<int32_t> plain = generate({}, nullptr);
  for (const int width : {2, 3, 5, 8}) {
    Speculation speculation(std::make_unique<BorrowedDrafter>(*model_.drafter), std::make_unique<FixedWidth>(width));
    EXPECT_EQ(generate({}, &speculation), plain) << width;
    EXPECT_GT(speculation.counts().drafted, 0) << width;
  }
}

TEST_F(MtpTest, SampledTokensStayTheSame) {
  const SamplingOptions sampling{.temperature = 0.8f, .topP = 0.95f, .seed = 11};
  Speculation speculation(std::make_unique<BorrowedDrafter>(*model_.drafter), makeWidthControl("auto", 8, /*confidences=*/false));
  EXPECT_EQ(generate(sampling, &speculation), generate(sampling, nullptr));
}

// Not on the widths that the sequence was fed in, on drafts before, on another sequence in between, or on a way back.
TEST_F(MtpTest, DraftsDependOnTheSequenceAlone) {
  Session session(*model_.target);
  session.feed(std::span(tokens_).first(141), 1);
  const std::vector<int32_t> expected = draftBehind(140);
  ASSERT_EQ(expected.size(), 3u);
  EXPECT_EQ(draftBehind(140), expected); // again

  session.reset();
  session.feed(std::span(tokens_).first(141), 0, /*more=*/true); // in chunks
  EXPECT_EQ(draftBehind(140), expected);

  std::vector<int32_t> other(tokens_.begin(), tokens_.begin() + 136);
  session.reset();
  for (int i = 0; i < 8; ++i)
    other.push_back(3000 + i);
  session.feed(std::span(other).first(143), 5);
  EXPECT_EQ(drafter().draft(other, 8).tokens.size(), 8u); // leaves rows and streams of its own behind
  EXPECT_EQ(session.reuse(tokens_), 136);
  session.feed(std::span(tokens_).subspan(136, 5));
  EXPECT_EQ(draftBehind(140), expected);
}

// Tokens that a step foresaw and that held are the next draft's context without having been drafted behind.
TEST_F(MtpTest, FollowsWhereverTheContextGoes) {
  Session session(*model_.target);
  session.feed(std::span(tokens_).first(100), 8);
  drafter().draft(std::span(tokens_).first(101), 4);
  session.feed(std::span(tokens_).subspan(100, 7), 8);
  const std::vector<int32_t> followed = draftBehind(106, 4);
  drafter().draft(std::span(tokens_).first(2), 1); // forgets where it was
  EXPECT_EQ(draftBehind(106, 4), followed);
}

TEST_F(MtpTest, DraftsNothingWhereNothingIsKnownOrNoRoomIsLeft) {
  EXPECT_TRUE(drafter().draft(std::span(tokens_).first(1), 3).tokens.empty());
  EXPECT_TRUE(drafter().draft(std::span(tokens_).first(2), 0).tokens.empty());
  const auto context = static_cast<size_t>(model_.target->plan().context);
  const std::vector<int32_t> full(context + 1, 5);
  EXPECT_EQ(drafter().draft(full, 3).tokens.size(), 1u); // behind the last position
  EXPECT_EQ(drafter().draft(std::span(full).first(context), 3).tokens.size(), 2u);
}
