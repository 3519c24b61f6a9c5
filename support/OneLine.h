// Text that users and other programs bring into our one-line messages.
#pragma once

#include <string>
#include <string_view>

namespace ds4 {

// Line breaks become "; ", other control characters blanks; blank lines vanish.
std::string oneLine(std::string_view text);

} // namespace ds4
