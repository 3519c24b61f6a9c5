#include "runtime/tokenizer/PreTokenizer.h"

#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/Error.h"

using ds4::PreTokenizer;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

static std::vector<std::string> split(std::string_view text) {
  static const PreTokenizer preTokenizer("joyai-llm");
  std::vector<std::string> pieces;
  for (std::string_view piece : preTokenizer.split(text))
    pieces.emplace_back(piece);
  return pieces;
}

TEST(PreTokenizer, CutsDigitsInThrees) {
  EXPECT_THAT(split("12345678"), ElementsAre("123", "456", "78"));
  EXPECT_THAT(split("a1b"), ElementsAre("a", "1", "b"));
  EXPECT_THAT(split("\u0663\u0664\u00bd\u2167"), ElementsAre("\u0663\u0664\u00bd", "\u2167")); // Arabic, fraction, Roman
}

TEST(PreTokenizer, SetsCjkAndKanaApart) {
  EXPECT_THAT(split("ab\u4e2d\u6587\u3042\u30abcd"), ElementsAre("ab", "\u4e2d\u6587\u3042\u30ab", "cd"));
  EXPECT_THAT(split("\u9fa5\u9fa6"), ElementsAre("\u9fa5", "\u9fa6")); // the range ends at U+9FA5
}

TEST(PreTokenizer, TakesPunctuationWithAsciiLetters) {
  EXPECT_THAT(split("can't"), ElementsAre("can", "'t"));
  EXPECT_THAT(split("x_foo.bar"), ElementsAre("x", "_foo", ".bar"));
  EXPECT_THAT(split("!\u00e9"), ElementsAre("!", "\u00e9")); // not an ASCII letter
  for (char c : std::string_view("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"))
    EXPECT_THAT(split(std::string(1, c) + "ab"), ElementsAre(std::string(1, c) + "ab"));
}

TEST(PreTokenizer, TakesOneLeadingCharacterWithLettersAndMarks) {
  EXPECT_THAT(split("a  b"), ElementsAre("a", " ", " b"));
  EXPECT_THAT(split("\tab"), ElementsAre("\tab"));
  EXPECT_THAT(split("\nab"), ElementsAre("\n", "ab"));
  EXPECT_THAT(split("e\u0301t"), ElementsAre("e\u0301t")); // combining acute
}

TEST(PreTokenizer, TakesPunctuationRunsWithSpaceBeforeAndNewlinesAfter) {
  EXPECT_THAT(split("a ... \nb"), ElementsAre("a", " ...", " \n", "b"));
  EXPECT_THAT(split("}\r\n\n x"), ElementsAre("}\r\n\n", " x"));
}

TEST(PreTokenizer, SplitsWhiteSpace) {
  EXPECT_THAT(split("a \n \n  b"), ElementsAre("a", " \n \n", " ", " b"));
  EXPECT_THAT(split("a   "), ElementsAre("a", "   "));
  EXPECT_THAT(split("a  1"), ElementsAre("a", "  ", "1")); // the digit is a piece of its own: the spaces end their text
  EXPECT_THAT(split("\u3000\u0085 "), ElementsAre("\u3000\u0085 "));
}

TEST(PreTokenizer, KeepsWhatNothingMatches) {
  EXPECT_THAT(split(std::string_view("\0\1", 2)), ElementsAre(std::string("\0\1", 2)));
  EXPECT_THAT(split("\u200d\u180e"), ElementsAre("\u200d\u180e")); // U+180E is no white space
  EXPECT_THAT(split(""), IsEmpty());
}

TEST(PreTokenizer, SetsInvalidBytesApart) {
  EXPECT_THAT(split("ab\xff\xfe" "cd\xe2\x82"), ElementsAre("ab", "\xff\xfe", "cd", "\xe2\x82"));
  EXPECT_THAT(split("\xed\xa0\x80"), ElementsAre("\xed\xa0\x80"));
}

// Runs that tempt an expression to scan ahead from every place: quadratic matching would take hours.
TEST(PreTokenizer, IsLinearInLongRuns) {
  const auto start = std::chrono::steady_clock::now();
  constexpr size_t n = 4'000'000;
  EXPECT_EQ(split(std::string(n, ' ')).size(), 1u);
  EXPECT_EQ(split(std::string(n, ' ') + "x").size(), 2u);
  EXPECT_EQ(split(std::string(n, 'x')).size(), 1u);
  EXPECT_EQ(split(std::string(n, '\n')).size(), 1u);
  EXPECT_EQ(split(std::string(n, '.')).size(), 1u);
  EXPECT_EQ(split(std::string(n, '\xff')).size(), 1u);
  EXPECT_EQ(split(std::string(n, '7')).size(), (n + 2) / 3);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

TEST(PreTokenizer, NamesAnUnknownOne) {
  try {
    PreTokenizer preTokenizer("llama-bpe");
    FAIL() << "accepted";
  } catch (const ds4::Error &error) {
    EXPECT_EQ(error.code(), ds4::ExitCode::User);
    EXPECT_THAT(error.what(), HasSubstr("'llama-bpe'"));
  }
}
