#include "runtime/tokenizer/Utf8.h"

#include <gtest/gtest.h>

#include "runtime/tokenizer/ByteAlphabet.h"

using namespace ds4;

static void expectPrefix(std::string_view text, Utf8Kind kind, size_t length) {
  const Utf8Prefix prefix = firstUtf8(text);
  EXPECT_EQ(prefix.kind, kind) << text;
  EXPECT_EQ(prefix.length, length) << text;
}

TEST(Utf8, KnowsWholeCharacters) {
  expectPrefix("a", Utf8Kind::Complete, 1);
  expectPrefix("\xc2\x80", Utf8Kind::Complete, 2);
  expectPrefix("\xed\x9f\xbf", Utf8Kind::Complete, 3);     // U+D7FF
  expectPrefix("\xf4\x8f\xbf\xbfz", Utf8Kind::Complete, 4); // U+10FFFF
}

TEST(Utf8, HoldsWhatMayStillBecomeACharacter) {
  expectPrefix("\xe2\x82", Utf8Kind::Incomplete, 2);
  expectPrefix("\xf0", Utf8Kind::Incomplete, 1);
  expectPrefix("\xf0\x9f\x98", Utf8Kind::Incomplete, 3);
}

TEST(Utf8, RefusesOverlongFormsSurrogatesAndTooLarge) {
  expectPrefix("\x80", Utf8Kind::Invalid, 1);
  expectPrefix("\xc0\xaf", Utf8Kind::Invalid, 1);
  expectPrefix("\xc1", Utf8Kind::Invalid, 1);
  expectPrefix("\xe0\x9f\xbf", Utf8Kind::Invalid, 1);
  expectPrefix("\xed\xa0\x80", Utf8Kind::Invalid, 1); // U+D800
  expectPrefix("\xf0\x8f\xbf\xbf", Utf8Kind::Invalid, 1);
  expectPrefix("\xf4\x90\x80\x80", Utf8Kind::Invalid, 1); // U+110000
  expectPrefix("\xf5\x80", Utf8Kind::Invalid, 1);
  expectPrefix("\xe2\x82z", Utf8Kind::Invalid, 2); // the maximal subpart
}

TEST(Utf8, MeasuresTheValidPrefix) {
  EXPECT_EQ(validUtf8Length(""), 0u);
  EXPECT_EQ(validUtf8Length("a\xc3\xa9\xff"), 3u);
  EXPECT_EQ(validUtf8Length("a\xe2\x82"), 1u);
}

TEST(Utf8, EncodesEveryCodePoint) {
  for (char32_t codePoint = 1; codePoint <= 0x10ffff; ++codePoint) {
    if (codePoint == 0xd800)
      codePoint = 0xe000;
    std::string text;
    appendUtf8(text, codePoint);
    ASSERT_EQ(validUtf8Length(text), text.size()) << static_cast<uint32_t>(codePoint);
    ASSERT_EQ(text.size(), codePoint < 0x80 ? 1u : codePoint < 0x800 ? 2u : codePoint < 0x10000 ? 3u : 4u);
  }
}

TEST(ByteAlphabet, IsTheOneOfGpt2) {
  EXPECT_EQ(byteToAlphabet(' '), "\u0120");
  EXPECT_EQ(byteToAlphabet('\n'), "\u010a");
  EXPECT_EQ(byteToAlphabet('A'), "A");
  EXPECT_EQ(byteToAlphabet(0x7f), "\u0121");
  EXPECT_EQ(byteToAlphabet(0xad), "\u0143"); // the last byte without a character of its own
  EXPECT_EQ(byteToAlphabet(0xff), "\u00ff");
  for (int byte = 0; byte < 256; ++byte)
    EXPECT_EQ(alphabetToBytes(byteToAlphabet(static_cast<uint8_t>(byte))), std::string(1, static_cast<char>(byte)));
  EXPECT_EQ(alphabetToBytes("\u2581"), "\u2581"); // outside the alphabet: itself
}
