// The page of `ds4c inspect --html` (page.html), with "DATA" where its data belongs.
#pragma once

#include <string_view>

namespace ds4 {

std::string_view reportPage();

} // namespace ds4
