#include "runtime/speculation/NgramDrafter.h"

#include <algorithm>

namespace ds4 {

namespace {

uint64_t hashOf(std::span<const int32_t> tokens) {
  uint64_t hash = 0xcbf29ce484222325; // FNV-1a
  for (int32_t token : tokens)
    hash = (hash ^ static_cast<uint32_t>(token)) * 0x100000001b3;
  return hash;
}

} // namespace

void NgramDrafter::index(std::span<const int32_t> context) {
  const bool continues = context.size() >= indexed_.size() && std::ranges::equal(indexed_, context.first(indexed_.size()));
  if (!continues) {
    indexed_.clear();
    std::ranges::for_each(ends_, [](auto &ends) { ends.clear(); });
  }
  // An n-gram is entered when a token follows it.
  for (size_t end = std::max<size_t>(indexed_.size(), 1); end < context.size(); ++end)
    for (size_t length = kShortest; length <= std::min(kLongest, end); ++length)
      ends_[length][hashOf(context.subspan(end - length, length))] = end;
  indexed_.insert(indexed_.end(), context.begin() + static_cast<ptrdiff_t>(indexed_.size()), context.end());
}

Draft NgramDrafter::draft(std::span<const int32_t> context, int count) {
  index(context);
  Draft draft;
  for (size_t length = std::min(kLongest, context.size()); length >= kShortest; --length) {
    const std::span<const int32_t> last = context.last(length);
    const auto found = ends_[length].find(hashOf(last));
    if (found == ends_[length].end() || !std::ranges::equal(context.subspan(found->second - length, length), last))
      continue;
    for (size_t from = found->second; static_cast<int>(draft.tokens.size()) < count; ++from)
      draft.tokens.push_back(from < context.size() ? context[from] : draft.tokens[from - context.size()]);
    break;
  }
  return draft;
}

} // namespace ds4
