#include "runtime/tokenizer/BytePairEncoder.h"

#include <queue>

#include "runtime/tokenizer/ByteAlphabet.h"
#include "support/Error.h"
#include "support/Printable.h"

namespace ds4 {

BytePairEncoder::BytePairEncoder(const std::vector<std::string> &merges, const FindToken &find) {
  for (int byte = 0; byte < 256; ++byte) {
    const std::optional<int32_t> token = find(byteToAlphabet(static_cast<uint8_t>(byte)));
    if (!token)
      userError("tokenizer vocabulary: no token for byte 0x{:02x} (\"{}\"): the file is damaged or not byte-level", byte,
                byteToAlphabet(static_cast<uint8_t>(byte)));
    byteTokens_[byte] = *token;
  }
  merges_.reserve(merges.size());
  for (size_t rank = 0; rank < merges.size(); ++rank) {
    const std::string_view merge = merges[rank];
    const size_t space = merge.find(' ');
    if (space == std::string_view::npos || merge.find(' ', space + 1) != std::string_view::npos)
      userError("tokenizer merge {}: {} is not two parts with one space between: the file is damaged", rank, quoteName(merge));
    const std::string_view left = merge.substr(0, space), right = merge.substr(space + 1);
    const auto leftToken = find(left), rightToken = find(right), token = find(std::string(left).append(right));
    if (!leftToken || !rightToken || !token)
      userError("tokenizer merge {}: {} uses a token that the vocabulary lacks: the file is damaged", rank, quoteName(merge));
    merges_.try_emplace(pairKey(*leftToken, *rightToken), Merge{static_cast<int32_t>(rank), *token});
  }
}

void BytePairEncoder::encode(std::string_view piece, std::vector<int32_t> &ids) const {
  // Symbols form a doubly linked list over their start positions. A candidate is stale once either of its tokens has changed.
  struct Symbol {
    int32_t token;
    int64_t previous, next;
  };
  struct Candidate {
    int32_t rank;
    int64_t left, right;
    int32_t leftToken, rightToken, merged;
    bool operator>(const Candidate &other) const { return rank != other.rank ? rank > other.rank : left > other.left; }
  };
  constexpr int32_t kGone = -1;
  const auto size = static_cast<int64_t>(piece.size());
  std::vector<Symbol> symbols(piece.size());
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> candidates;
  const auto consider = [&](int64_t left, int64_t right) {
    if (left < 0 || right >= size)
      return;
    const int32_t leftToken = symbols[left].token, rightToken = symbols[right].token;
    if (auto found = merges_.find(pairKey(leftToken, rightToken)); found != merges_.end())
      candidates.push({found->second.rank, left, right, leftToken, rightToken, found->second.token});
  };

  for (int64_t i = 0; i < size; ++i)
    symbols[i] = {byteTokens_[static_cast<uint8_t>(piece[i])], i - 1, i + 1};
  for (int64_t i = 0; i + 1 < size; ++i)
    consider(i, i + 1);
  while (!candidates.empty()) {
    const Candidate best = candidates.top();
    candidates.pop();
    Symbol &left = symbols[best.left];
    Symbol &right = symbols[best.right];
    if (left.token != best.leftToken || right.token != best.rightToken || left.next != best.right)
      continue;
    left.token = best.merged;
    left.next = right.next;
    right.token = kGone;
    if (left.next < size)
      symbols[left.next].previous = best.left;
    consider(left.previous, best.left);
    consider(best.left, left.next);
  }
  for (int64_t i = 0; i < size; i = symbols[i].next)
    ids.push_back(symbols[i].token);
}

} // namespace ds4
