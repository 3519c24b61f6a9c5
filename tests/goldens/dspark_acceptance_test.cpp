// Speculative decoding with a drafter, round by round, against what others computed: greedy tokens, and how many drafts each round
// accepted. DS4_LONG_TESTS=1 takes all prompts and widths.
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/unit/runtime/DrafterFixture.h"

using namespace ds4;

namespace {

const std::string kGoldens = DS4C_SHARED_DIR "/goldens/dspark_acceptance.json";
const std::string kModels = DS4C_SHARED_DIR "/models/";

bool isLong() { return std::getenv("DS4_LONG_TESTS") != nullptr; }

struct Prompt {
  std::string name, kind; // "text_40_0", "text"
  std::vector<int32_t> tokens, continuation;
  std::map<int, std::vector<int>> accepted; // of every round, by width
};

std::vector<Prompt> readPrompts() {
  std::ifstream file(kGoldens);
  const nlohmann::json goldens = nlohmann::json::parse(file);
  std::vector<Prompt> prompts;
  for (const auto &entry : goldens.at("prompts")) {
    Prompt &prompt = prompts.emplace_back();
    prompt.name = entry.at("name").get<std::string>();
    prompt.kind = prompt.name.substr(0, prompt.name.find('_'));
    prompt.tokens = entry.at("tokens").get<std::vector<int32_t>>();
    const auto length = entry.at("prompt_length").get<ptrdiff_t>();
    prompt.continuation.assign(prompt.tokens.begin() + length, prompt.tokens.end());
    prompt.tokens.resize(static_cast<size_t>(length));
    for (const auto &[width, rounds] : entry.at("accepted_per_round").items())
      prompt.accepted[std::stoi(width)] = rounds.get<std::vector<int>>();
  }
  return prompts;
}

struct Decoded {
  std::vector<int32_t> tokens;
  std::vector<int> accepted; // of every round
};

Decoded decode(const DraftingModel &model, const Prompt &prompt, int width) {
  constexpr int64_t kBeyond = 8; // so that the end cuts no counted round short
  Decoded decoded;
  Speculation speculation(std::make_unique<BorrowedDrafter>(*model.drafter),
                          std::make_unique<RecordingWidth>(width, decoded.accepted));
  Session session(*model.target);
  session.feed(prompt.tokens);
  decoded.tokens = session.generate(static_cast<int64_t>(prompt.continuation.size()) + kBeyond, {}, {}, &speculation);
  decoded.tokens.resize(prompt.continuation.size());
  return decoded;
}

struct Total {
  size_t rounds = 0, prompts = 0, equal = 0;
  int accepted = 0;

  void add(const std::vector<int> &counts, bool isEqual) {
    rounds += counts.size();
    accepted += std::accumulate(counts.begin(), counts.end(), 0);
    ++prompts;
    equal += isEqual;
  }
  double mean() const { return double(accepted) / double(rounds); }
};

class DsparkAcceptance : public testing::Test {
protected:
  void SetUp() override {
    if (!std::filesystem::exists(kGoldens))
      GTEST_SKIP() << "no expected values at " << kGoldens;
  }
};

} // namespace

// With the arithmetic of the expected values: f16 weights, f32 rows, exact products.
TEST_F(DsparkAcceptance, EveryRoundAcceptsWhatItShould) {
  const DraftingModel model =
      DraftingModel::load(kModels + "ds4-tiny-f16.gguf", kModels + "ds4-tiny-dspark-f16.gguf", DS4C_DSPARK_PLAN);
  std::map<std::pair<std::string, int>, Total> totals; // by kind of prompt and width
  for (const Prompt &prompt : readPrompts())
    for (const auto &[width, expected] : prompt.accepted) {
      if (!isLong() && (width != 4 || (prompt.name != "text_40_1" && prompt.name != "recall_45_0")))
        continue;
      Decoded decoded = decode(model, prompt, width);
      EXPECT_EQ(decoded.tokens, prompt.continuation) << prompt.name << ", width " << width;
      ASSERT_GE(decoded.accepted.size(), expected.size());
      decoded.accepted.resize(expected.size());
      EXPECT_EQ(decoded.accepted, expected) << prompt.name << ", width " << width;
      totals[{prompt.kind, width}].add(expected, decoded.accepted == expected);
    }
  EXPECT_EQ(totals.size(), isLong() ? 10u : 2u);
  for (const auto &[key, total] : totals)
    std::printf("%s, width %d: %zu of %zu prompts equal in every round, %zu rounds, %.4f drafts accepted a round\n",
                key.first.c_str(), key.second, total.equal, total.prompts, total.rounds, total.mean());
}

// Quantized, a drafter and its target agree as often as before.
TEST_F(DsparkAcceptance, TheBundledPairAcceptsAsManyDrafts) {
  if (!isLong())
    GTEST_SKIP() << "takes minutes: set DS4_LONG_TESTS=1";
  const DraftingModel model = DraftingModel::load(DS4C_TINY_MODEL, DS4C_TINY_DRAFTER, DS4C_TINY_DSPARK_PLAN);
  constexpr int kWidth = 4;
  std::map<std::string, Total> bundled, expected;
  for (const Prompt &prompt : readPrompts()) {
    std::vector<int> accepted = decode(model, prompt, kWidth).accepted;
    expected[prompt.kind].add(prompt.accepted.at(kWidth), true);
    accepted.resize(accepted.size() - 1); // the end may have cut it short
    bundled[prompt.kind].add(accepted, true);
  }
  for (const auto &[kind, total] : bundled) {
    std::printf("%s, width %d: %.3f drafts accepted a round, %.3f tokens a step of the target; expected %.3f\n", kind.c_str(),
                kWidth, total.mean(), total.mean() + 1, expected[kind].mean());
    EXPECT_NEAR(total.mean(), expected[kind].mean(), 0.15) << kind;
  }
}
