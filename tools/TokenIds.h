// Token ids on a command line.
#pragma once

#include <charconv>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "support/Error.h"

namespace ds4 {

// "0,5,7". Throws ds4::Error (User) for anything else.
inline std::vector<int32_t> parseTokenIds(const std::string &text) {
  std::vector<int32_t> ids;
  const char *at = text.data(), *end = text.data() + text.size();
  while (at < end) {
    int32_t id = 0;
    auto [next, error] = std::from_chars(at, end, id);
    if (error != std::errc() || (next < end && *next != ','))
      userError("--ids '{}': write token ids separated by commas, such as 0,5,7", text);
    ids.push_back(id);
    at = next + (next < end);
  }
  return ids;
}

// Throws ds4::Error (User) for one that is not in the model's vocabulary.
inline void checkTokenIds(std::span<const int32_t> ids, int64_t vocabulary) {
  for (const int32_t id : ids)
    if (id < 0 || id >= vocabulary)
      userError("token id {} is not in the vocabulary of {}", id, vocabulary);
}

} // namespace ds4
