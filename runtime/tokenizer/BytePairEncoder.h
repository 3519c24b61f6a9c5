// Byte-pair encoding over token ids: starts from one token a byte and applies the merge of lowest rank, leftmost
// first, until none is left. Time is O(n log n) in the length of a piece, however long it is.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ds4 {

class BytePairEncoder {
public:
  using FindToken = std::function<std::optional<int32_t>(std::string_view)>;

  // `merges` are "left right" in the byte alphabet, best first; `find` gives the id of a vocabulary entry. Throws
  // ds4::Error (User) when a byte, a part of a merge or its result is not in the vocabulary.
  BytePairEncoder(const std::vector<std::string> &merges, const FindToken &find);

  // Appends the tokens of `piece` (raw bytes). Safe from several threads at once.
  void encode(std::string_view piece, std::vector<int32_t> &ids) const;

private:
  struct Merge {
    int32_t rank;
    int32_t token;
  };
  static uint64_t pairKey(int32_t left, int32_t right) {
    return static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32 | static_cast<uint32_t>(right);
  }

  std::array<int32_t, 256> byteTokens_;
  std::unordered_map<uint64_t, Merge> merges_;
};

} // namespace ds4
