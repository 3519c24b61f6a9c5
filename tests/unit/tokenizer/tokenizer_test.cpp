#include "runtime/tokenizer/Tokenizer.h"

#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "SmallVocabulary.h"
#include "support/Error.h"

using namespace ds4;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

static const Tokenizer &small() {
  static const Tokenizer tokenizer(smallVocabulary());
  return tokenizer;
}

static void expectRefused(const TokenizerData &data, const char *message) {
  try {
    Tokenizer tokenizer(data);
    FAIL() << "accepted";
  } catch (const Error &error) {
    EXPECT_EQ(error.code(), ExitCode::User);
    EXPECT_THAT(error.what(), HasSubstr(message));
  }
}

TEST(Tokenizer, MergesByRankThenFromTheLeft) {
  EXPECT_THAT(small().encode("abc"), ElementsAre(kAbc));   // "a b" before "b c", then "ab c"
  EXPECT_THAT(small().encode("bc"), ElementsAre(kBc));
  EXPECT_THAT(small().encode("aaa"), ElementsAre(kAa, 'a'));
  EXPECT_THAT(small().encode("aaaaaa"), ElementsAre(kAaaa, kAa));
  EXPECT_THAT(small().encode("aab"), ElementsAre('a', kAb)); // "a b" ranks above "a a"
  EXPECT_THAT(small().encode("b a"), ElementsAre('b', kSpaceA));
}

TEST(Tokenizer, TakesAddedTokensFirstAndLongest) {
  EXPECT_THAT(small().encode("a<s>b"), ElementsAre('a', kS, 'b'));
  EXPECT_THAT(small().encode("<s>x<s>y"), ElementsAre(kSx, kS, 'y'));
  EXPECT_THAT(small().encode("<<think>"), ElementsAre('<', kThink));
  EXPECT_THAT(small().encode("<thin"), ElementsAre('<', 't', 'h', 'i', 'n'));
  EXPECT_THAT(small().encode("<s>", false), ElementsAre('<', 's', '>'));
}

TEST(Tokenizer, EncodesAnyBytesAndGivesThemBack) {
  std::string bytes;
  for (int i = 0; i < 1024; ++i)
    bytes += static_cast<char>(i * 37 + i / 7);
  EXPECT_EQ(small().decode(small().encode(bytes)), bytes);
  EXPECT_THAT(small().encode("\xff"), ElementsAre(0xff));
  EXPECT_THAT(small().encode(""), IsEmpty());
}

TEST(Tokenizer, HidesControlTokensAlone) {
  const std::vector<int32_t> ids{kS, 'a', kThink};
  EXPECT_EQ(small().decode(ids, ControlTokens::Visible), "<s>a<think>");
  EXPECT_EQ(small().decode(ids, ControlTokens::Hidden), "a<think>");
}

TEST(Tokenizer, FindsTokensByTheirText) {
  EXPECT_EQ(small().find("<think>"), kThink);
  EXPECT_EQ(small().find(" a"), kSpaceA);
  EXPECT_EQ(small().find("nothing"), std::nullopt);
  EXPECT_EQ(small().bos(), kS);
  EXPECT_EQ(small().pad(), -1);
}

TEST(Tokenizer, RefusesIdsOutsideTheVocabulary) {
  EXPECT_THROW(small().decode(265), Error);
  EXPECT_THROW(small().decode(-1), Error);
}

TEST(Tokenizer, RefusesDamagedVocabularies) {
  TokenizerData data = smallVocabulary();
  data.types.pop_back();
  expectRefused(data, "265 tokens but 264 token types");
  data = smallVocabulary();
  data.tokens['q'] = "another";
  expectRefused(data, "no token for byte 0x71");
  data = smallVocabulary();
  data.merges.push_back("a z");
  expectRefused(data, "merge 6: 'a z'");
  data.merges.back() = "abc";
  expectRefused(data, "merge 6: 'abc'");
  data.merges.back() = "a\nb"; // the message stays one line
  expectRefused(data, "merge 6: 'a\\x0ab'");
  data.merges.back() = std::string(1 << 20, 'a'); // and short
  expectRefused(data, "aaa...' is not two parts");
  data = smallVocabulary();
  data.eos = 265;
  expectRefused(data, "eos token id 265");
  data = smallVocabulary();
  data.preTokenizer = "gpt-2";
  expectRefused(data, "'gpt-2'");
}

// One piece of millions of bytes, in which every merge makes new candidates.
TEST(Tokenizer, EncodesHugePiecesInNearLinearTime) {
  const auto start = std::chrono::steady_clock::now();
  const std::vector<int32_t> ids = small().encode(std::string(1'000'000, 'a'));
  EXPECT_EQ(ids.size(), 250'000u);
  EXPECT_EQ(ids.back(), kAaaa);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}
