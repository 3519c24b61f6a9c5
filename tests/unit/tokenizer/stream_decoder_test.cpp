#include "runtime/tokenizer/StreamDecoder.h"

#include <gtest/gtest.h>

#include "SmallVocabulary.h"

using namespace ds4;

static const Tokenizer &small() {
  static const Tokenizer tokenizer(smallVocabulary());
  return tokenizer;
}

TEST(StreamDecoder, HoldsACharacterUntilItIsWhole) {
  StreamDecoder decoder(small());
  EXPECT_EQ(decoder.push(0xf0), "");
  EXPECT_EQ(decoder.push(0x9f), "");
  EXPECT_EQ(decoder.push(0x98), "");
  EXPECT_EQ(decoder.push(0x80), "\xf0\x9f\x98\x80");
  EXPECT_EQ(decoder.push(kAbc), "abc");
  EXPECT_EQ(decoder.finish(), "");
}

TEST(StreamDecoder, ReplacesWhatCannotBeMended) {
  StreamDecoder decoder(small());
  EXPECT_EQ(decoder.push(0xff), "\ufffd");
  EXPECT_EQ(decoder.push(0xe2), "");
  EXPECT_EQ(decoder.push(kAb), "\ufffd" "ab"); // certain only now
  EXPECT_EQ(decoder.push(0xc0), "\ufffd");     // can begin nothing: no need to wait
}

TEST(StreamDecoder, GivesUpAnIncompleteCharacterAtTheEnd) {
  StreamDecoder decoder(small());
  EXPECT_EQ(decoder.push(0xe2), "");
  EXPECT_EQ(decoder.push(0x82), "");
  EXPECT_EQ(decoder.finish(), "\ufffd");
  EXPECT_EQ(decoder.finish(), "");
}

TEST(StreamDecoder, ControlTokensEndACharacter) {
  StreamDecoder hidden(small(), ControlTokens::Hidden), visible(small(), ControlTokens::Visible);
  EXPECT_EQ(hidden.push(0xe2), "");
  EXPECT_EQ(hidden.push(kS), "\ufffd");
  EXPECT_EQ(hidden.push(kThink), "<think>");
  EXPECT_EQ(visible.push(0xe2), "");
  EXPECT_EQ(visible.push(kS), "\ufffd<s>");
}

TEST(StreamDecoder, StreamsExactlyTheDecodedText) {
  const std::string text = "na\u00efve \u4f60\u597d \U0001f600 end";
  StreamDecoder decoder(small());
  std::string streamed;
  for (int32_t id : small().encode(text))
    streamed += decoder.push(id);
  EXPECT_EQ(streamed + decoder.finish(), text);
}
