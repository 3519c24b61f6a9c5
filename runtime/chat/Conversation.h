// A conversation as chat interfaces exchange it: a list of messages, read from and written to JSON of the usual form
// ({"role": "user", "content": "..."}), with DeepSeek-V4's own fields (reasoning_content, task, wo_eos, the roles developer
// and latest_reminder).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ds4::chat {

enum class Role { System, Developer, User, Tool, LatestReminder, Assistant };

struct ToolCall {
  std::string id; // names the call in the tool message that answers it; may be empty
  std::string name;
  std::string arguments; // JSON text of an object; anything else becomes one argument called "arguments"
  bool operator==(const ToolCall &) const = default;
};

struct Message {
  Role role = Role::User;
  std::string content;
  std::string reasoning;           // of an assistant, without <think> and </think>
  std::vector<ToolCall> toolCalls; // of an assistant
  std::string toolCallId;          // of a tool: which call it answers
  std::vector<std::string> tools;  // of a system or developer message: JSON text of each function's description
  std::string responseFormat;      // of a system or developer message: JSON text of a schema, or empty
  std::string task;                // of a user: one of kTasks, or empty
  bool open = false;               // of an assistant ("wo_eos"): not ended, to be continued
};

using Conversation = std::vector<Message>;

// Lists and objects of a conversation's JSON that may lie in each other.
inline constexpr int kMostLevels = 100;

// Whether the assistant comes next, or goes on with an open message. Not in an empty conversation.
bool awaitsAnswer(const Conversation &conversation);

// Reads a list of messages or {"messages": [...], "tools": [...]}, whose tools belong to the first message. `name` stands in
// messages for the text. Throws ds4::Error (User) for anything that is no conversation, naming the message, and for one that is
// nested deeper than `levels`.
Conversation parseConversation(std::string_view json, std::string_view name, int levels = kMostLevels);

// The list of messages as JSON text that parseConversation reads back, with a level more: tools may have stood outside the list.
std::string conversationJson(const Conversation &conversation);
// One message, in the same form.
std::string messageJson(const Message &message);

// JSON text as the model saw it in training: one line, ", " and ": " between items, keys in their order, no \u escapes.
std::string spacedJson(std::string_view json);

} // namespace ds4::chat
