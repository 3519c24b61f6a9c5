#include "runtime/tokenizer/AddedTokens.h"

namespace ds4 {

void AddedTokens::add(std::string_view text, int32_t token) {
  uint32_t node = 0;
  for (char c : text) {
    auto [child, inserted] = nodes_[node].children.try_emplace(c, static_cast<uint32_t>(nodes_.size()));
    node = child->second;
    if (inserted)
      nodes_.emplace_back();
  }
  if (node != 0 && nodes_[node].token < 0)
    nodes_[node].token = token;
}

AddedTokens::Match AddedTokens::find(std::string_view text, size_t from) const {
  for (size_t begin = from; begin < text.size(); ++begin) {
    Match longest;
    uint32_t node = 0;
    for (size_t i = begin; i < text.size(); ++i) {
      const auto child = nodes_[node].children.find(text[i]);
      if (child == nodes_[node].children.end())
        break;
      node = child->second;
      if (nodes_[node].token >= 0)
        longest = {begin, i + 1 - begin, nodes_[node].token};
    }
    if (longest.length)
      return longest;
  }
  return {};
}

} // namespace ds4
