// Tokens that stand for a literal text, such as "<｜User｜>", and are recognised before any splitting.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

namespace ds4 {

class AddedTokens {
public:
  struct Match {
    size_t begin = 0, length = 0; // length 0: none
    int32_t token = -1;
  };

  void add(std::string_view text, int32_t token); // an empty text is ignored; the first token of a text is kept
  // The leftmost added token at or after `from`, the longest where several begin at the same place.
  Match find(std::string_view text, size_t from) const;

private:
  struct Node {
    std::map<char, uint32_t> children;
    int32_t token = -1;
  };
  std::vector<Node> nodes_{1}; // a trie; node 0 is its root
};

} // namespace ds4
