// A vocabulary small enough to merge by hand: the 256 bytes, a few merges, three added tokens.
#pragma once

#include <string>

#include "runtime/tokenizer/ByteAlphabet.h"
#include "runtime/tokenizer/Tokenizer.h"

namespace ds4 {

// Ids: 0..255 the bytes; then one a merge in order; then "<s>" (control), "<s>x" (control), "<think>" (user defined).
inline TokenizerData smallVocabulary() {
  TokenizerData data;
  data.preTokenizer = "joyai-llm";
  for (int byte = 0; byte < 256; ++byte)
    data.tokens.push_back(byteToAlphabet(static_cast<uint8_t>(byte)));
  data.merges = {"a b", "b c", "ab c", "a a", "aa aa", "\xc4\xa0 a"}; // U+0120 is the space
  for (const char *merged : {"ab", "bc", "abc", "aa", "aaaa", "\xc4\xa0" "a"})
    data.tokens.push_back(merged);
  data.types.assign(data.tokens.size(), static_cast<int32_t>(TokenType::Normal));
  for (const char *added : {"<s>", "<s>x", "<think>"})
    data.tokens.push_back(added);
  data.types.insert(data.types.end(), {3, 3, 4});
  data.bos = 262;
  data.eos = 263;
  return data;
}

inline constexpr int32_t kAb = 256, kBc = 257, kAbc = 258, kAa = 259, kAaaa = 260, kSpaceA = 261, kS = 262, kSx = 263, kThink = 264;

} // namespace ds4
