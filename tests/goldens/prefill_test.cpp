// Prompts read in chunks: the state of prompts read token by token within a tolerance, and the reference's greedy tokens, wherever
// chunks end. DS4_LONG_TESTS=1 takes all prompts and chunk sizes.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "models/gguf/Reader.h"
#include "runtime/Session.h"
#include "runtime/plan/PlanFile.h"
#include "tests/unit/runtime/DrafterFixture.h"

using namespace ds4;

namespace {

const std::string kGoldens = DS4C_SHARED_DIR "/goldens/tiny_goldens.json";
const std::string kModel = DS4C_SHARED_DIR "/models/ds4-tiny-f16.gguf";

bool isLong() { return std::getenv("DS4_LONG_TESTS") != nullptr; }

struct Prompt {
  std::string name;
  std::vector<int32_t> tokens, greedy;
};

std::vector<Prompt> readPrompts(size_t most) {
  std::ifstream file(kGoldens);
  const nlohmann::json goldens = nlohmann::json::parse(file);
  std::vector<Prompt> prompts;
  for (const auto &entry : goldens.at("cases")) {
    Prompt prompt{entry.at("name"), entry.at("tokens"), entry.at("greedy")};
    if (prompt.tokens.size() <= most)
      prompts.push_back(std::move(prompt));
  }
  EXPECT_GE(prompts.size(), 5u);
  return prompts;
}

std::unique_ptr<Executor> load(const std::string &model, const std::string &plan) {
  const char *device = std::getenv("DS4C_TEST_DEVICE");
  const gguf::Reader file = gguf::Reader::open(model);
  FileWeights weights(file);
  return std::make_unique<Executor>(hip::openProvider(device ? device : "sim"), readPlanFile(plan), weights);
}

// Relative root mean square difference of each state, the greatest of all; rows that no token is in are zero on both sides.
double stateError(Executor &executor, const std::vector<std::vector<float>> &expected) {
  double worst = 0;
  for (size_t i = 0; i < executor.plan().states.size(); ++i) {
    const PlanState &state = executor.plan().states[i];
    const std::vector<float> made = executor.readState(state.name, 0, state.rows);
    double error = 0, size = 1e-30;
    for (size_t k = 0; k < made.size(); ++k) {
      error += std::pow(made[k] - expected[i][k], 2);
      size += std::pow(expected[i][k], 2);
    }
    worst = std::max(worst, std::sqrt(error / size));
  }
  return worst;
}

std::vector<std::vector<float>> readStates(Executor &executor) {
  std::vector<std::vector<float>> states;
  for (const PlanState &state : executor.plan().states)
    states.push_back(executor.readState(state.name, 0, state.rows));
  return states;
}

class PrefillTest : public testing::Test {
protected:
  void SetUp() override {
    if (!std::filesystem::exists(kGoldens))
      GTEST_SKIP() << "no expected values at " << kGoldens;
  }
};

} // namespace

// Weights in half precision: activations are exact to 22 bits, so little but the order of sums differs from steps.
TEST_F(PrefillTest, ReferenceTokensAndStateForEveryChunk) {
  constexpr double kStateLimit = 1e-3; // rows are halves: a step of rounding is 5e-4 of a value
  const std::unique_ptr<Executor> executor = load(kModel, DS4C_PREFILL_PLAN);
  ASSERT_TRUE(executor->prefill());
  const std::vector<int64_t> chunks =
      isLong() ? std::vector<int64_t>{1, 3, 4, 5, 127, 128, 129, 512, 1000, 4096} : std::vector<int64_t>{5, 128, 512};
  for (const Prompt &prompt : readPrompts(isLong() ? 1 << 20 : 140)) {
    Session session(*executor);
    session.setChunk(0);
    session.feed(prompt.tokens);
    const std::vector<std::vector<float>> states = readStates(*executor);
    std::vector<std::vector<float>> ofChunks;
    for (int64_t chunk : chunks) {
      SCOPED_TRACE(prompt.name + ", chunks of " + std::to_string(chunk));
      session.reset();
      session.setChunk(chunk);
      session.feed(prompt.tokens);
      EXPECT_EQ(session.position(), static_cast<int64_t>(prompt.tokens.size()));
      const double error = stateError(*executor, states);
      EXPECT_LE(error, kStateLimit);
      if (isLong())
        std::printf("%s, chunks of %ld: state error %.1e\n", prompt.name.c_str(), static_cast<long>(chunk), error);
      // A token's arithmetic does not depend on the tokens beside it.
      if (!ofChunks.empty())
        EXPECT_EQ(readStates(*executor), ofChunks);
      ofChunks = readStates(*executor);
      EXPECT_EQ(session.generate(static_cast<int64_t>(prompt.greedy.size())), prompt.greedy);
      if (static_cast<size_t>(chunk) >= prompt.tokens.size())
        break; // greater ones do the same
    }
  }
}

// Quantised weights: activations are halves both ways, rounded at other places. The drafter's rings are filled, too, and drafts
// from them change no token.
TEST_F(PrefillTest, BundledModelAndItsDrafter) {
  constexpr double kStateLimit = 2e-2; // a token at the border between two experts may take the other one
  const DraftingModel model = DraftingModel::load(DS4C_TINY_MODEL, DS4C_TINY_DRAFTER, DS4C_DRAFTING_PLAN);
  ASSERT_TRUE(model.target->prefill());
  for (const Prompt &prompt : readPrompts(isLong() ? 600 : 129)) {
    if (!isLong() && prompt.name != "text_129" && prompt.name != "recall_2")
      continue;
    SCOPED_TRACE(prompt.name);
    Session session(*model.target);
    session.setChunk(0);
    session.feed(prompt.tokens);
    const std::vector<std::vector<float>> states = readStates(*model.target);
    std::vector<int32_t> plain;
    for (int64_t chunk : {7, 160}) {
      session.reset();
      session.setChunk(chunk);
      session.feed(prompt.tokens);
      const double error = stateError(*model.target, states);
      std::printf("%s, chunks of %ld: state error %.1e\n", prompt.name.c_str(), static_cast<long>(chunk), error);
      EXPECT_LE(error, kStateLimit);
      std::vector<int> accepted;
      Speculation speculation(std::make_unique<BorrowedDrafter>(*model.drafter), std::make_unique<RecordingWidth>(4, accepted));
      const std::vector<int32_t> drafted = session.generate(24, {}, {}, &speculation);
      session.reset();
      session.feed(prompt.tokens);
      EXPECT_EQ(session.generate(24), drafted);
      EXPECT_TRUE(plain.empty() || plain == drafted);
      plain = drafted;
    }
  }
}

// A request's answer, and the state that it leaves, do not depend on what was asked before.
TEST_F(PrefillTest, RequestsRepeatWhateverStandsBetween) {
  const DraftingModel model = DraftingModel::load(DS4C_TINY_MODEL, DS4C_TINY_DRAFTER, DS4C_DRAFTING_PLAN);
  const std::vector<Prompt> prompts = readPrompts(140);
  Session session(*model.target);
  const auto answer = [&](const Prompt &prompt, bool drafts) {
    session.reset();
    session.feed(prompt.tokens);
    std::vector<int> accepted;
    Speculation speculation(std::make_unique<BorrowedDrafter>(*model.drafter), std::make_unique<RecordingWidth>(4, accepted));
    std::vector<int32_t> tokens = session.generate(12, {}, {}, drafts ? &speculation : nullptr);
    return std::pair(std::move(tokens), readStates(*model.target));
  };
  const Prompt &asked = *std::ranges::max_element(prompts, {}, [](const Prompt &prompt) { return prompt.tokens.size(); });
  const auto first = answer(asked, false);
  for (size_t i = 0; i < 5; ++i) {
    answer(prompts[i], i % 2 == 0);
    EXPECT_EQ(answer(asked, false), first) << "behind " << prompts[i].name;
    EXPECT_EQ(answer(asked, true).first, first.first) << "behind " << prompts[i].name;
  }
}
