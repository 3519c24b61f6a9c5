// Going back, and coming back another day: the sequence goes on with the same tokens and the same bits.
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/Error.h"
#include "support/File.h"
#include "tests/unit/runtime/SessionFixture.h"

using namespace ds4;
using testing::HasSubstr;

namespace {

// Tokens of no particular meaning.
std::vector<int32_t> text(size_t count, int32_t first = 5) {
  std::vector<int32_t> tokens(count);
  for (size_t i = 0; i < count; ++i)
    tokens[i] = (first + static_cast<int32_t>(i * i * 31 + i * 7)) % 4096;
  return tokens;
}

std::vector<int32_t> joined(std::vector<int32_t> a, const std::vector<int32_t> &b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

class SnapshotTest : public testing::Test {
protected:
  // Not for the whole suite: a model that does not load there would skip the tests.
  void SetUp() override {
    if (!executor_)
      executor_ = loadBundledModel(4096);
  }
  static void TearDownTestSuite() { executor_.reset(); }

  // Logits behind the sequence, of a session that never saw anything else.
  static std::vector<float> logitsOf(const std::vector<int32_t> &tokens) {
    Session session(*executor_);
    session.feed(tokens);
    return executor_->output("logits");
  }
  // Makes the session's sequence these tokens and returns the logits behind them.
  static std::vector<float> continueTo(Session &session, const std::vector<int32_t> &tokens, int64_t expectKept) {
    const int64_t kept = session.reuse(tokens);
    EXPECT_EQ(kept, expectKept);
    session.feed(std::span(tokens).subspan(static_cast<size_t>(kept)), 1);
    EXPECT_TRUE(std::ranges::equal(session.tokens(), tokens));
    return lastRow();
  }
  static std::vector<float> lastRow() {
    const std::vector<float> logits = executor_->output("logits");
    return {logits.end() - 4096, logits.end()};
  }
  static std::string refusal(const std::function<void()> &action) {
    try {
      action();
    } catch (const Error &error) {
      EXPECT_EQ(error.code(), ExitCode::User);
      EXPECT_THAT(error.what(), testing::Not(HasSubstr("\n")));
      return error.what();
    }
    return "";
  }

  static std::unique_ptr<Executor> executor_;
};

std::unique_ptr<Executor> SnapshotTest::executor_;

} // namespace

TEST_F(SnapshotTest, GoesBackByAFewTokens) {
  // Across the ends of windows of 4 and 128, and where the ring of 136 slots wraps.
  const std::pair<size_t, size_t> lengthAndBack[] = {{9, 3}, {12, 1}, {131, 7}, {137, 3}, {145, 7}};
  for (const auto &[length, back] : lengthAndBack) {
    const std::vector<int32_t> before = text(length);
    const std::vector<int32_t> other = joined({before.begin(), before.end() - static_cast<ptrdiff_t>(back)}, text(back + 2, 900));
    const std::vector<float> expected = logitsOf(other);
    Session session(*executor_);
    session.feed(before);
    EXPECT_EQ(continueTo(session, other, static_cast<int64_t>(length - back)),
              std::vector<float>(expected.end() - 4096, expected.end()))
        << length << " back " << back;
  }
}

TEST_F(SnapshotTest, ReachesBackFromACheckpoint) {
  const std::vector<int32_t> all = text(300);
  const std::vector<int32_t> other = joined({all.begin(), all.begin() + 201}, text(70, 77));
  const std::vector<float> expected = logitsOf(other);
  Session session(*executor_);
  for (size_t place : {100, 203, 260}) {
    session.feed(std::span(all).subspan(session.tokens().size(), place - session.tokens().size()));
    session.checkpoint();
  }
  session.feed(std::span(all).subspan(260));
  EXPECT_EQ(continueTo(session, other, 201), std::vector<float>(expected.end() - 4096, expected.end()));
}

TEST_F(SnapshotTest, ReusesTheLatestCheckpointBeforeTheDivergence) {
  const std::vector<int32_t> all = text(260);
  std::vector<int32_t> other(all.begin(), all.begin() + 150);
  other = joined(other, text(40, 1234));
  const std::vector<float> expected = logitsOf(other);
  Session session(*executor_);
  for (size_t place : {40, 131, 220}) {
    session.feed(std::span(all).subspan(session.tokens().size(), place - session.tokens().size()));
    session.checkpoint();
  }
  session.feed(std::span(all).subspan(220));
  EXPECT_EQ(continueTo(session, other, 131), std::vector<float>(expected.end() - 4096, expected.end()));
  // The checkpoint at 220 is of a sequence that is no more.
  EXPECT_EQ(session.reuse(all), 131);
  EXPECT_EQ(session.reuse(text(30, 999)), 0);
  EXPECT_EQ(session.position(), 0);
}

TEST_F(SnapshotTest, RejectedDraftsShortenTheWayBack) {
  class Wrong : public Drafter {
    Draft draft(std::span<const int32_t>, int count) override {
      return {std::vector<int32_t>(static_cast<size_t>(count), 4000), {}};
    }
  };
  const auto generateTen = [](Session &session) {
    Speculation speculation(std::make_unique<Wrong>(), makeWidthControl("8", 8, false));
    int made = 0;
    session.generate(40, {}, [&](int32_t) { return ++made < 10; }, &speculation);
  };
  Session session(*executor_);
  session.feed(text(140));
  session.checkpoint();
  generateTen(session);
  ASSERT_EQ(session.position(), 149); // and seven rejected rows lie ahead
  std::vector<int32_t> other(session.tokens().begin(), session.tokens().end());
  other[144] = 1;
  EXPECT_EQ(session.reuse(other), 140); // five back from here is twelve from what was written: the checkpoint
  session.feed(std::span(other).subspan(140), 1);
  const std::vector<float> logits = lastRow(), expected = logitsOf(other);
  EXPECT_EQ(logits, std::vector<float>(expected.end() - 4096, expected.end()));
}

TEST_F(SnapshotTest, AnImageGoesOnWithTheSameTokens) {
  Session session(*executor_);
  session.feed(text(200));
  session.checkpoint();
  session.generate(10);
  const SessionImage image = session.image();
  const std::vector<int32_t> sequence(session.tokens().begin(), session.tokens().end());
  const std::vector<int32_t> next = joined(sequence, {17});
  const std::vector<float> expected = logitsOf(next);

  const std::string path = testing::TempDir() + "session_snapshot_test.session";
  SessionImage noted = image;
  noted.note = "a \"note\"";
  writeSessionFile(path, noted);
  const SessionImage read = readSessionFile(path);
  EXPECT_EQ(read.note, noted.note);
  Session restored(*executor_);
  restored.restore(read);
  EXPECT_TRUE(std::ranges::equal(restored.tokens(), sequence));
  EXPECT_THAT(refusal([&] { restored.nextToken(); }), HasSubstr("feed the sequence's last token first"));
  EXPECT_EQ(continueTo(restored, next, static_cast<int64_t>(sequence.size())),
            std::vector<float>(expected.end() - 4096, expected.end()));
  EXPECT_EQ(restored.reuse(joined(text(199), text(5, 3000))), 199); // by the checkpoint in the image
}

TEST_F(SnapshotTest, RefusesImagesOfAnotherPlanAndSpoiledOnes) {
  Session session(*executor_);
  session.feed(text(20));
  const SessionImage image = session.image();
  SessionImage other = image;
  other.plan = std::string(64, '0');
  EXPECT_THAT(refusal([&] { session.restore(other); }), HasSubstr("belongs to another model or plan"));
  other = image;
  other.states[0].state = 1000;
  EXPECT_THAT(refusal([&] { session.restore(other); }), HasSubstr("contradicts itself"));
  other = image;
  other.states[0].bytes.resize(1 << 24);
  EXPECT_THAT(refusal([&] { session.restore(other); }), HasSubstr("contradicts itself"));
  other = image;
  other.tokens.resize(4097);
  EXPECT_THAT(refusal([&] { session.restore(other); }), HasSubstr("contradicts itself"));
  EXPECT_EQ(session.position(), 20); // as it was
  EXPECT_NE(planIdentity(executor_->plan()), [&] {
    Plan changed = executor_->plan();
    changed.context = 4095;
    return planIdentity(changed);
  }());
}

// No model needed: files alone.
TEST(SessionFile, EveryDamageIsNoticedAndLeavesTheFile) {
  const std::string path = testing::TempDir() + "session_file_test.session";
  SessionImage image{.plan = "p", .tokens = {1, 2, 3}, .written = 3};
  image.states = {{0, std::vector<std::byte>(40, std::byte(7))}};
  image.checkpoints = {{2, 3, {{1, std::vector<std::byte>(9, std::byte(1))}}}};
  writeSessionFile(path, image);
  const std::vector<std::byte> whole = File(path).readAll();
  const SessionImage read = readSessionFile(path);
  EXPECT_EQ(read.tokens, image.tokens);
  EXPECT_EQ(read.states[0].bytes, image.states[0].bytes);
  EXPECT_EQ(read.checkpoints[0].states[0].bytes, image.checkpoints[0].states[0].bytes);

  const auto refusalOf = [&](std::vector<std::byte> bytes) -> std::string {
    writeFileAtomically(path, bytes);
    try {
      readSessionFile(path);
    } catch (const Error &error) {
      EXPECT_EQ(error.code(), ExitCode::User);
      EXPECT_EQ(File(path).readAll(), bytes);
      return error.what();
    }
    return "";
  };
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_NE(refusalOf({whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size)}), "") << "cut to " << size;
  for (size_t at = 0; at < whole.size(); ++at) {
    std::vector<std::byte> bytes = whole;
    bytes[at] ^= std::byte(0x10);
    EXPECT_NE(refusalOf(bytes), "") << "bit at " << at;
  }
  std::vector<std::byte> longer = whole;
  longer.push_back({});
  EXPECT_THAT(refusalOf(longer), HasSubstr("is damaged: delete it"));
  std::vector<std::byte> newer = whole;
  newer[14] = std::byte('2'); // "ds4c-session v2"
  EXPECT_THAT(refusalOf(newer), HasSubstr("another version of ds4c"));
  EXPECT_THAT(refusalOf(std::vector<std::byte>(400, std::byte('x'))), HasSubstr("is no session file"));
}
