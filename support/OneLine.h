// Text that users and other programs bring into our one-line messages.
#pragma once

#include <string>
#include <string_view>

namespace ds4 {

// Line breaks become "; ", tabs blanks, other control characters and what is no UTF-8 "\x1b"; blank lines vanish, and so does the
// middle of what no person reads to its end.
std::string oneLine(std::string_view text);

} // namespace ds4
