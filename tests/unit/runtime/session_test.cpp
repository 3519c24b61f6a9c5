// The runtime over the bundled model on the simulator: what a session promises, whatever the steps' widths.
#include "runtime/Session.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/speculation/NgramDrafter.h"
#include "support/Error.h"
#include "tests/unit/runtime/ProcessUse.h"
#include "tests/unit/runtime/SessionFixture.h"

using namespace ds4;
using testing::ElementsAre;

namespace {

const std::vector<int32_t> kPrompt{0, 47, 84, 268, 3229, 582, 2973, 12, 99, 1000, 4095};

class SessionTest : public testing::Test {
protected:
  // Not for the whole suite: a model that does not load there would skip the tests.
  void SetUp() override {
    if (!executor_)
      executor_ = loadBundledModel(64);
  }
  static void TearDownTestSuite() { executor_.reset(); }

  // Logits of every position, fed in steps of `width`.
  static std::vector<float> logitsOf(Session &session, std::span<const int32_t> tokens, int width) {
    std::vector<float> all;
    session.feedObserved(tokens, width, [&](int64_t, int64_t) {
      std::vector<float> logits = executor_->output("logits");
      all.insert(all.end(), logits.begin(), logits.end());
    });
    return all;
  }

  static std::unique_ptr<Executor> executor_;
};

std::unique_ptr<Executor> SessionTest::executor_;

} // namespace

TEST_F(SessionTest, LogitsAreTheSameBitsForEveryWidth) {
  Session session(*executor_);
  std::vector<float> one = logitsOf(session, kPrompt, 1);
  ASSERT_EQ(one.size(), kPrompt.size() * 4096);
  for (int width : {2, 3, 5, 8}) {
    session.reset();
    EXPECT_EQ(logitsOf(session, kPrompt, width), one) << "width " << width;
  }
}

TEST_F(SessionTest, ResetForgetsTheSequence) {
  Session session(*executor_);
  session.feed(kPrompt);
  std::vector<int32_t> first = session.generate(6);
  session.feed(std::vector<int32_t>{7, 8, 9});
  session.reset();
  EXPECT_EQ(session.position(), 0);
  session.feed(kPrompt);
  EXPECT_EQ(session.generate(6), first);
}

TEST_F(SessionTest, GenerationStopsAtTheEndTokenAndWhenTold) {
  Session session(*executor_);
  session.feed(kPrompt);
  std::vector<int32_t> tokens = session.generate(4);
  session.reset();
  session.feed(kPrompt);
  EXPECT_THAT(session.generate(4, tokens[2]), ElementsAre(tokens[0], tokens[1]));
  session.reset();
  session.feed(kPrompt);
  EXPECT_THAT(session.generate(4, {}, [](int32_t) { return false; }), ElementsAre(tokens[0]));
}

TEST_F(SessionTest, RefusesWhatDoesNotFit) {
  Session session(*executor_);
  EXPECT_THROW(session.nextToken(), Error); // nothing fed
  EXPECT_THROW(session.feed(std::vector<int32_t>{4096}), Error);
  EXPECT_THROW(session.feed(std::vector<int32_t>{-1}), Error);
  std::vector<int32_t> full(64, 5);
  session.feed(full);
  EXPECT_THROW(session.feed(std::vector<int32_t>{5}), Error); // context of 64
  EXPECT_EQ(session.position(), 64);
  StepInput nothing;
  EXPECT_THROW(executor_->step(nothing), Error);
  std::vector<int32_t> nine(9, 5);
  StepInput wide;
  wide.tokens = nine;
  EXPECT_THROW(executor_->step(wide), Error);
}

TEST_F(SessionTest, SpeculationFillsTheContextToItsEnd) {
  Session session(*executor_);
  session.feed(std::vector<int32_t>(59, 7));
  Speculation speculation(std::make_unique<NgramDrafter>(), makeWidthControl("8", 8, false));
  EXPECT_EQ(session.generate(6, {}, {}, &speculation).size(), 6u); // the last is not fed
  EXPECT_EQ(session.position(), 64);
  EXPECT_THROW(session.generate(2, {}, {}, &speculation), Error);
}

TEST_F(SessionTest, GeneratingNeedsNoMoreMemory) {
  Session session(*executor_);
  const auto request = [&](int tokens) {
    session.reset();
    session.feed(std::vector<int32_t>(static_cast<size_t>(tokens), 7 + tokens % 3));
    session.checkpoint();
    Speculation speculation(std::make_unique<NgramDrafter>(), makeWidthControl("feedback", 8, false));
    session.generate(8, {}, {}, &speculation);
  };
  const auto requests = [&] {
    for (int tokens : {40, 3, 17, 1})
      request(tokens);
  };
  requests(); // every kernel has run, every buffer has its size
  const size_t before = test::residentKilobytes();
  requests();
  requests();
  if (test::kMemoryIsGivenBack)
    EXPECT_LT(test::residentKilobytes(), before + 1024);
}

TEST_F(SessionTest, StateRowsAreReadAndWritten) {
  Session session(*executor_);
  std::vector<float> rows(2 * 128);
  for (size_t i = 0; i < rows.size(); ++i)
    rows[i] = float(i) / 8; // exact in half precision
  executor_->writeState("blk.0.window", 3, rows);
  EXPECT_EQ(executor_->readState("blk.0.window", 3, 2), rows);
  EXPECT_EQ(executor_->readState("blk.0.window", 5, 1), std::vector<float>(128));
  EXPECT_THROW(executor_->readState("blk.0.compressed", 0, 1), Error); // a window-only layer
  EXPECT_THROW(executor_->readState("blk.0.window", 136, 1), Error);
  EXPECT_THROW(executor_->output("nothing"), Error);
}

TEST_F(SessionTest, PromptStepsRunWithoutTheHead) {
  Session session(*executor_);
  session.feed(std::vector<int32_t>{5}, 1, /*more=*/true);
  int64_t without = executor_->launchesOfLastStep();
  session.feed(std::vector<int32_t>{6}, 1);
  EXPECT_EQ(executor_->launchesOfLastStep(), without + 3); // read, logits, choice
}

namespace {

// The bundled model, in whose first routing table every row's first id is no expert's.
class DamagedTable : public FileWeights {
public:
  using FileWeights::FileWeights;
  void read(const PlanWeight &weight, uint64_t offset, std::span<std::byte> out) const override {
    FileWeights::read(weight, offset, out);
    if (weight.name != "blk.0.ffn_gate_tid2eid.weight")
      return;
    ASSERT_EQ(offset % sizeof(int32_t), 0u);
    const std::span<int32_t> ids(reinterpret_cast<int32_t *>(out.data()), out.size() / sizeof(int32_t));
    const auto used = static_cast<uint64_t>(weight.shape[1]);
    for (size_t i = 0; i < ids.size(); ++i)
      if ((offset / sizeof(int32_t) + i) % used == 0)
        ids[i] = 1 << 20;
  }
};

} // namespace

TEST(UnknownExperts, AreCountedAndGiveZeros) {
  const gguf::Reader file = gguf::Reader::open(DS4C_TINY_MODEL);
  DamagedTable weights(file);
  Executor executor(hip::openProvider("sim"), readPlanFile(fmt::format("{}-64.ds4plan", DS4C_TINY_PLAN)), weights);
  Session session(executor);
  session.feed(kPrompt, 3);
  EXPECT_EQ(executor.unknownExperts(), kPrompt.size());
  for (float logit : executor.output("logits"))
    ASSERT_TRUE(std::isfinite(logit));
  session.feed(std::vector<int32_t>{7});
  EXPECT_EQ(executor.unknownExperts(), kPrompt.size() + 1);
}

TEST_F(SessionTest, CountsNoUnknownExpertsInASoundModel) {
  Session session(*executor_);
  session.feed(kPrompt);
  EXPECT_EQ(executor_->unknownExperts(), 0u);
}
