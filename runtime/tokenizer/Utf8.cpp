#include "runtime/tokenizer/Utf8.h"

#include <cstdint>

namespace ds4 {

Utf8Prefix firstUtf8(std::string_view text) {
  const auto byteAt = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t lead = byteAt(0);
  if (lead < 0x80)
    return {Utf8Kind::Complete, 1};
  const size_t length = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
  if (!length)
    return {Utf8Kind::Invalid, 1};
  // Overlong forms, surrogates and values above U+10FFFF all show in the second byte.
  const uint8_t low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  const uint8_t high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  for (size_t i = 1; i < length; ++i) {
    if (i == text.size())
      return {Utf8Kind::Incomplete, i};
    const bool second = i == 1;
    if (byteAt(i) < (second ? low : 0x80) || byteAt(i) > (second ? high : 0xbf))
      return {Utf8Kind::Invalid, i};
  }
  return {Utf8Kind::Complete, length};
}

size_t validUtf8Length(std::string_view text) {
  size_t length = 0;
  while (length < text.size()) {
    const Utf8Prefix prefix = firstUtf8(text.substr(length));
    if (prefix.kind != Utf8Kind::Complete)
      break;
    length += prefix.length;
  }
  return length;
}

void appendUtf8(std::string &text, char32_t codePoint) {
  const auto continuation = [&](int shift) { text += static_cast<char>(0x80 | ((codePoint >> shift) & 0x3f)); };
  if (codePoint < 0x80) {
    text += static_cast<char>(codePoint);
  } else if (codePoint < 0x800) {
    text += static_cast<char>(0xc0 | (codePoint >> 6));
    continuation(0);
  } else if (codePoint < 0x10000) {
    text += static_cast<char>(0xe0 | (codePoint >> 12));
    continuation(6);
    continuation(0);
  } else {
    text += static_cast<char>(0xf0 | (codePoint >> 18));
    continuation(12);
    continuation(6);
    continuation(0);
  }
}

} // namespace ds4
