// Token ids of an encoded conversation.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/chat/ChatEncoding.h"
#include "runtime/tokenizer/Tokenizer.h"

namespace ds4::chat {

// Markers become their tokens, all text between two of them is encoded as a whole. A marker that the vocabulary lacks is
// ordinary text.
std::vector<int32_t> promptTokens(const Tokenizer &tokenizer, const std::vector<Segment> &segments);

} // namespace ds4::chat
