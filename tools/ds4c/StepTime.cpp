#include "tools/ds4c/StepTime.h"

#include <charconv>

#include "support/Error.h"

namespace ds4 {

std::pair<int64_t, int> parseStepTime(const std::string &text, int most) {
  int64_t pos = -1;
  int q = 0;
  const char *end = text.data() + text.size();
  auto [comma, first] = std::from_chars(text.data(), end, pos);
  if (first == std::errc() && comma != end && *comma == ',')
    if (auto [rest, second] = std::from_chars(comma + 1, end, q);
        second == std::errc() && rest == end && pos >= 0 && q >= 1 && q <= most) {
      if (pos > kMostContext - q)
        userError("--at '{}' is beyond {} positions, the most that a context has", text, kMostContext);
      return {pos, q};
    }
  userError("--at '{}' is no step: write a position and 1 to {} tokens, such as 32767,1", text, most);
}

} // namespace ds4
