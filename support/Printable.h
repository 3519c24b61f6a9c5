// Text from files and other programs as messages show it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ds4 {

// The bytes of the UTF-8 character that starts `text`; 0 when it is malformed, overlong, a surrogate or above U+10FFFF.
size_t utf8Length(std::string_view text);

// Takes the first character off `text`, which is not empty: itself, or its bytes as "\x1b" when it is a control character, which
// a terminal would obey, or no UTF-8.
std::string takePrintable(std::string_view &text);

// In quotes, shortened, made printable.
std::string quoteName(std::string_view text);

} // namespace ds4
