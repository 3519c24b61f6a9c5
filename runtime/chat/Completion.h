// The way back: what a model generated, taken apart.
#pragma once

#include <string_view>

#include "runtime/chat/Conversation.h"

namespace ds4::chat {

struct Completion {
  Message message;       // an assistant's: reasoning, content, tool calls named call_0, call_1, ...
  std::string malformed; // why a block of tool calls could not be read; it then stays in the content. Empty: all is well
};

// `text` is what came after the prompt, added tokens visible; all from the end-of-sentence token on is ignored. With
// `thinking` it begins inside the reasoning, and is reasoning alone when it never leaves it (it was cut short). Never throws.
Completion parseCompletion(std::string_view text, bool thinking);

} // namespace ds4::chat
