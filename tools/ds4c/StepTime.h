// A step as commands are told of it: "32767,1".
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace ds4 {

inline constexpr int64_t kMostContext = int64_t(1) << 20; // positions that a plan's state may have room for

// Position and number of tokens of `--at`, at most `most`, all within kMostContext. Throws ds4::Error (User).
std::pair<int64_t, int> parseStepTime(const std::string &text, int most = 8);

} // namespace ds4
