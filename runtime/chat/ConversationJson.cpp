#include <algorithm>

#include <nlohmann/json.hpp>

#include "runtime/chat/Conversation.h"
#include "runtime/chat/Markers.h"
#include "runtime/chat/ShallowJson.h"
#include "support/Error.h"
#include "support/Printable.h"

namespace ds4::chat {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::pair<std::string_view, Role> kRoles[] = {{"system", Role::System},
                                                        {"developer", Role::Developer},
                                                        {"user", Role::User},
                                                        {"tool", Role::Tool},
                                                        {"latest_reminder", Role::LatestReminder},
                                                        {"assistant", Role::Assistant}};

// Reads the members of one message; errors say which.
class MessageReader {
public:
  MessageReader(const Json &json, std::string where) : json_(json), where_(std::move(where)) {
    if (!json.is_object())
      userError("{} is no object: write {{\"role\": \"user\", \"content\": \"...\"}}", where_);
  }

  Message read() const {
    Message message;
    const std::string role = text("role");
    const auto known = std::ranges::find(kRoles, role, &std::pair<std::string_view, Role>::first);
    if (known == std::end(kRoles))
      userError("{} has the role {}: known are system, developer, user, tool, latest_reminder and assistant", where_,
                quoteName(role));
    message.role = known->second;
    message.content = content();
    message.reasoning = text("reasoning_content");
    message.toolCallId = text("tool_call_id");
    message.task = text("task");
    if (!message.task.empty() && std::ranges::find(kTasks, message.task) == kTasks.end())
      userError("{} has the task {}: known are action, query, authority, domain, title and read_url", where_,
                quoteName(message.task));
    if (const Json *open = find("wo_eos"))
      message.open = open->is_boolean() ? open->get<bool>() : refuse<bool>("wo_eos", "true or false");
    if (const Json *tools = find("tools"))
      message.tools = readTools(*tools);
    if (const Json *format = find("response_format"))
      message.responseFormat = format->dump();
    if (const Json *calls = find("tool_calls"))
      message.toolCalls = readCalls(*calls);
    return message;
  }

  std::vector<std::string> readTools(const Json &tools) const {
    if (!tools.is_array())
      refuse<int>("tools", "a list");
    std::vector<std::string> texts;
    for (const Json &tool : tools) {
      if (!tool.is_object() || !tool.contains("function") || !tool["function"].is_object())
        refuse<int>("tools", "a list of {\"type\": \"function\", \"function\": {...}}");
      texts.push_back(tool["function"].dump());
    }
    return texts;
  }

private:
  template <typename T> T refuse(std::string_view key, std::string_view expected) const {
    userError("{}: '{}' is not {}", where_, key, expected);
  }

  const Json *find(std::string_view key) const {
    const auto found = json_.find(key);
    return found == json_.end() || found->is_null() ? nullptr : &*found;
  }

  std::string text(std::string_view key) const {
    const Json *value = find(key);
    if (!value)
      return {};
    return value->is_string() ? value->get<std::string>() : refuse<std::string>(key, "a text");
  }

  // A text, or a list of {"type": "text", "text": "..."} that is joined by blank lines.
  std::string content() const {
    const Json *value = find("content");
    if (!value || !value->is_array())
      return text("content");
    std::string joined;
    for (const Json &block : *value) {
      if (!block.is_object() || block.value("type", Json()) != "text" || !block.contains("text") || !block["text"].is_string())
        refuse<int>("content", "a text or a list of {\"type\": \"text\", \"text\": \"...\"}");
      joined += (joined.empty() ? "" : "\n\n") + block["text"].get<std::string>();
    }
    return joined;
  }

  std::vector<ToolCall> readCalls(const Json &calls) const {
    if (!calls.is_array())
      refuse<int>("tool_calls", "a list");
    std::vector<ToolCall> result;
    for (const Json &call : calls) {
      const Json function = call.is_object() ? call.value("function", Json()) : Json();
      if (!function.is_object() || !function.value("name", Json()).is_string())
        refuse<int>("tool_calls", "a list of {\"id\": ..., \"function\": {\"name\": ..., \"arguments\": ...}}");
      const Json arguments = function.value("arguments", Json("{}")), id = call.value("id", Json(""));
      if (arguments.is_string() && !parseShallow(arguments.get<std::string>()))
        userError("{}: the arguments of a call in 'tool_calls' are nested deeper than {} levels", where_, kMostLevels);
      result.push_back({id.is_string() ? id.get<std::string>() : id.dump(), function["name"].get<std::string>(),
                        arguments.is_string() ? arguments.get<std::string>() : arguments.dump()});
    }
    return result;
  }

  const Json &json_;
  std::string where_;
};

Json toJson(const Message &message) {
  Json json;
  json["role"] = std::ranges::find(kRoles, message.role, &std::pair<std::string_view, Role>::second)->first;
  json["content"] = message.content;
  const auto addText = [&](const char *key, const std::string &value) {
    if (!value.empty())
      json[key] = value;
  };
  addText("reasoning_content", message.reasoning);
  for (const ToolCall &call : message.toolCalls) {
    Json entry{{"type", "function"}, {"function", {{"name", call.name}, {"arguments", call.arguments}}}};
    if (!call.id.empty())
      entry["id"] = call.id;
    json["tool_calls"].push_back(entry);
  }
  addText("tool_call_id", message.toolCallId);
  addText("task", message.task);
  for (const std::string &tool : message.tools)
    json["tools"].push_back({{"type", "function"}, {"function", Json::parse(tool)}});
  if (!message.responseFormat.empty())
    json["response_format"] = Json::parse(message.responseFormat);
  if (message.open)
    json["wo_eos"] = true;
  return json;
}

std::string dump(const Json &json) { return json.dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace); }

} // namespace

Conversation parseConversation(std::string_view text, std::string_view name, int levels) {
  const std::optional<Json> parsed = parseShallow(text, levels);
  if (!parsed)
    userError("'{}' is nested deeper than {} levels, which no conversation is", name, levels);
  const Json &json = *parsed;
  const bool wrapped = json.is_object() && json.contains("messages");
  const Json &list = wrapped ? json["messages"] : json;
  if (!list.is_array())
    userError("'{}' holds no conversation: write [{{\"role\": \"user\", \"content\": \"...\"}}] or {{\"messages\": [...]}}", name);
  Conversation conversation;
  for (const Json &message : list)
    conversation.push_back(MessageReader(message, fmt::format("'{}', message {}", name, conversation.size() + 1)).read());
  if (wrapped && json.contains("tools")) {
    if (conversation.empty() || (conversation[0].role != Role::System && conversation[0].role != Role::Developer))
      conversation.insert(conversation.begin(), Message{.role = Role::System});
    conversation[0].tools = MessageReader(json, fmt::format("'{}'", name)).readTools(json["tools"]);
  }
  return conversation;
}

std::string messageJson(const Message &message) { return dump(toJson(message)); }

std::string conversationJson(const Conversation &conversation) {
  Json list = Json::array();
  for (const Message &message : conversation)
    list.push_back(toJson(message));
  return dump(list);
}

} // namespace ds4::chat
