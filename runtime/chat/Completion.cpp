#include "runtime/chat/Completion.h"

#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "runtime/chat/Markers.h"
#include "runtime/chat/ShallowJson.h"

namespace ds4::chat {

namespace {

using Json = nlohmann::ordered_json;

// Reads a block of tool calls from its first tag on; the first thing that is not as expected ends it.
class CallReader {
public:
  explicit CallReader(std::string_view text) : rest_(text) {}

  // What is wrong, or nothing.
  std::string read(std::vector<ToolCall> &calls) {
    take("<｜DSML｜tool_calls>");
    while (skipSpace(), take("<｜DSML｜invoke name=\"")) {
      const auto name = takeUntil("\">");
      if (!name)
        return "a call's name does not end";
      Json arguments = Json::object();
      while (skipSpace(), take("<｜DSML｜parameter name=\""))
        if (std::string wrong = readParameter(arguments); !wrong.empty())
          return wrong;
      if (!take("</｜DSML｜invoke>"))
        return fmt::format("the call of '{}' does not end", *name);
      const std::string text = spacedJson(arguments.dump(-1, ' ', false, Json::error_handler_t::replace));
      calls.push_back({fmt::format("call_{}", calls.size()), std::string(*name), text});
    }
    if (!take("</｜DSML｜tool_calls>"))
      return "the block of tool calls does not end";
    skipSpace();
    return rest_.empty() ? "" : "text after the block of tool calls";
  }

private:
  std::string readParameter(Json &arguments) {
    const auto key = takeUntil("\" string=\"");
    if (!key)
      return "a parameter's name does not end";
    const bool isText = take("true\">");
    if (!isText && !take("false\">"))
      return fmt::format("parameter '{}' says neither string=\"true\" nor \"false\"", *key);
    const auto value = takeUntil("</｜DSML｜parameter>");
    if (!value)
      return fmt::format("parameter '{}' does not end", *key);
    std::optional<Json> parsed =
        isText ? std::optional<Json>(Json(*value)) : parseShallow(*value, kMostLevels - 1); // the arguments are a level, too
    if (!parsed)
      return fmt::format("parameter '{}' is nested deeper than {} levels", *key, kMostLevels - 1);
    if (parsed->is_discarded())
      return fmt::format("parameter '{}' is no JSON", *key);
    arguments[std::string(*key)] = std::move(*parsed);
    return {};
  }

  void skipSpace() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \n"), rest_.size())); }
  bool take(std::string_view expected) {
    if (!rest_.starts_with(expected))
      return false;
    rest_.remove_prefix(expected.size());
    return true;
  }
  std::optional<std::string_view> takeUntil(std::string_view end) {
    const size_t at = rest_.find(end);
    if (at == std::string_view::npos)
      return std::nullopt;
    const std::string_view before = rest_.substr(0, at);
    rest_.remove_prefix(at + end.size());
    return before;
  }

  std::string_view rest_;
};

} // namespace

Completion parseCompletion(std::string_view text, bool thinking) {
  Completion completion;
  Message &message = completion.message;
  message.role = Role::Assistant;
  text = text.substr(0, text.find(kEos));
  if (thinking) {
    const size_t end = text.find(kThinkEnd);
    message.reasoning = text.substr(0, end);
    if (end == std::string_view::npos)
      return completion;
    text.remove_prefix(end + kThinkEnd.size());
  }
  message.content = text;
  const size_t block = text.find("<｜DSML｜tool_calls>");
  if (block == std::string_view::npos)
    return completion;
  std::vector<ToolCall> calls;
  completion.malformed = CallReader(text.substr(block)).read(calls);
  if (!completion.malformed.empty())
    return completion;
  message.toolCalls = std::move(calls);
  std::string_view before = text.substr(0, block);
  if (before.ends_with("\n\n"))
    before.remove_suffix(2);
  message.content = before;
  return completion;
}

} // namespace ds4::chat
