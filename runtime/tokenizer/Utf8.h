// UTF-8 as Unicode defines it (table 3-7): no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ds4 {

inline constexpr std::string_view kReplacementCharacter = "\xef\xbf\xbd"; // U+FFFD

enum class Utf8Kind {
  Complete,   // a whole character
  Incomplete, // the text ends inside a character that further bytes could complete
  Invalid,    // no continuation makes this a character
};

// The first character of a text. For Invalid, `length` is the maximal subpart that one U+FFFD stands for (1..3 bytes).
struct Utf8Prefix {
  Utf8Kind kind;
  size_t length;
};

// `text` must not be empty.
Utf8Prefix firstUtf8(std::string_view text);

// Length of the longest prefix that is valid UTF-8 throughout.
size_t validUtf8Length(std::string_view text);

void appendUtf8(std::string &text, char32_t codePoint);

} // namespace ds4
