// A step as commands are told of it: "32767,1".
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace ds4 {

// Position and number of tokens of `--at`, at most `most`. Throws ds4::Error (User).
std::pair<int64_t, int> parseStepTime(const std::string &text, int most = 8);

} // namespace ds4
