// A conversation as the prompt text that DeepSeek-V4 was trained on, by the rules of the encoder published with the model.
//
// The prompt comes as segments, because text that a person or a tool wrote must never become structure: "<｜User｜>" in a
// message is encoded as the ordinary characters that it is, not as the token.
#pragma once

#include <string>
#include <vector>

#include "runtime/chat/Conversation.h"

namespace ds4::chat {

enum class Effort { High, Maximal }; // Maximal puts a text before the first message that asks for exhaustive reasoning

struct EncodingOptions {
  bool thinking = false; // the answer begins with reasoning; otherwise with </think>
  Effort effort = Effort::High;
  bool dropReasoning = true; // of answers before the last user turn; never dropped where a message carries tools
};

struct Segment {
  std::string text;
  bool marker = false; // one added token; otherwise ordinary text
};

// The prompt, up to where the assistant continues: after a user turn that is the assistant's header, after an assistant's
// message nothing. Adjacent text is one segment. Tool results become blocks of the user turn in the order of their calls.
// Throws ds4::Error (User) when the conversation is empty.
std::vector<Segment> encodeConversation(const Conversation &conversation, const EncodingOptions &options = {});

// The text of the segments.
std::string promptText(const std::vector<Segment> &segments);

} // namespace ds4::chat
