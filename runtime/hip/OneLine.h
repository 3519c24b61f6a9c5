// Text of other programs within our one-line messages.
#pragma once

#include <string>
#include <string_view>

namespace ds4::hip {

// Line breaks become "; ", other control characters blanks; blank lines vanish.
std::string oneLine(std::string_view text);

} // namespace ds4::hip
