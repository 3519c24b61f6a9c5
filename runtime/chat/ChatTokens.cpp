#include "runtime/chat/ChatTokens.h"

#include <utility>

namespace ds4::chat {

std::vector<int32_t> promptTokens(const Tokenizer &tokenizer, const std::vector<Segment> &segments) {
  std::vector<int32_t> ids;
  std::string text;
  const auto flush = [&] {
    const std::vector<int32_t> part = tokenizer.encode(std::exchange(text, {}), /*parseAddedTokens=*/false);
    ids.insert(ids.end(), part.begin(), part.end());
  };
  for (const Segment &segment : segments) {
    const std::optional<int32_t> token = segment.marker ? tokenizer.find(segment.text) : std::nullopt;
    if (!token) {
      text += segment.text;
      continue;
    }
    flush();
    ids.push_back(*token);
  }
  flush();
  return ids;
}

} // namespace ds4::chat
