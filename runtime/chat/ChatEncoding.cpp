#include "runtime/chat/ChatEncoding.h"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "runtime/chat/Markers.h"
#include "runtime/chat/ShallowJson.h"
#include "support/Error.h"

namespace ds4::chat {

namespace {

// The texts that follow are part of the model's training: every byte counts.
constexpr std::string_view kMaximalEffort =
    "Reasoning Effort: Absolute maximum with no shortcuts permitted.\n"
    "You MUST be very thorough in your thinking and comprehensively decompose the problem to resolve the root cause, rigorously "
    "stress-testing your logic against all potential paths, edge cases, and adversarial scenarios.\n"
    "Explicitly write out your entire deliberation process, documenting every intermediate step, considered alternative, and "
    "rejected "
    "hypothesis to ensure absolutely no assumption is left unchecked.\n\n";
constexpr std::string_view kToolsBefore = R"(## Tools

You have access to a set of tools to help answer the user's question. You can invoke tools by writing a "<｜DSML｜tool_calls>" block like the following:

<｜DSML｜tool_calls>
<｜DSML｜invoke name="$TOOL_NAME">
<｜DSML｜parameter name="$PARAMETER_NAME" string="true|false">$PARAMETER_VALUE</｜DSML｜parameter>
...
</｜DSML｜invoke>
<｜DSML｜invoke name="$TOOL_NAME2">
...
</｜DSML｜invoke>
</｜DSML｜tool_calls>

String parameters should be specified as is and set `string="true"`. For all other types (numbers, booleans, arrays, objects), pass the value in JSON format and set `string="false"`.

If thinking_mode is enabled (triggered by <think>), you MUST output your complete reasoning inside <think>...</think> BEFORE any tool calls or final response.

Otherwise, output directly after </think> with tool calls or final response.

### Available Tool Schemas

)";
constexpr std::string_view kToolsAfter =
    "\n\nYou MUST strictly follow the above defined tool name and parameter schemas to invoke tool calls.\n";
constexpr std::string_view kResponseFormat = "## Response Format:\n\nYou MUST strictly adhere to the following schema to reply:\n";

class SegmentWriter {
public:
  // What a person, a tool or a model wrote.
  void text(std::string_view text) {
    if (text.empty())
      return;
    if (segments_.empty() || segments_.back().marker)
      segments_.emplace_back();
    segments_.back().text += text;
  }
  void marker(std::string_view marker) { segments_.push_back({std::string(marker), true}); }
  // A text of the format itself, whose markers are meant.
  void format(std::string_view text) {
    constexpr std::array kInside{kDsml, kThinkBegin, kThinkEnd};
    while (!text.empty()) {
      const auto place = [&](std::string_view marker) { return text.find(marker); };
      const std::string_view first = *std::ranges::min_element(kInside, {}, place);
      const size_t at = std::min(place(first), text.size());
      this->text(text.substr(0, at));
      if (at == text.size())
        break;
      marker(first);
      text.remove_prefix(at + first.size());
    }
  }

  std::vector<Segment> take() { return std::move(segments_); }

private:
  std::vector<Segment> segments_;
};

struct Part {
  std::string text, toolCallId;
  bool toolResult = false;
};

// A message in which tool results have become part of a user's turn.
struct Turn {
  const Message *message;
  Role role;
  std::vector<Part> parts; // of a user
};

bool asksForAnswer(Role role) { return role == Role::User || role == Role::Developer; }

// Consecutive messages of users and tools make one turn, but nothing joins a user's message that sets a task.
std::vector<Turn> mergeTurns(const Conversation &conversation) {
  std::vector<Turn> turns;
  for (const Message &message : conversation) {
    if (message.role != Role::User && message.role != Role::Tool) {
      turns.push_back({&message, message.role, {}});
      continue;
    }
    const bool result = message.role == Role::Tool;
    const bool joins = !turns.empty() && turns.back().role == Role::User && (result || turns.back().message->task.empty());
    if (!joins)
      turns.push_back({&message, Role::User, {}});
    turns.back().parts.push_back({message.content, message.toolCallId, result});
  }
  return turns;
}

// Results stand in the order of the calls that they answer; texts among them keep their places.
void sortResults(std::vector<Turn> &turns) {
  std::map<std::string, size_t> order;
  for (Turn &turn : turns) {
    if (turn.role == Role::Assistant && !turn.message->toolCalls.empty()) {
      order.clear();
      for (const ToolCall &call : turn.message->toolCalls)
        order.try_emplace(call.id, order.size());
    }
    std::multimap<size_t, Part> results; // by place; of equal places the first stays first
    for (const Part &part : turn.parts) {
      const auto call = order.find(part.toolCallId);
      if (part.toolResult)
        results.emplace(call == order.end() ? 0 : call->second, part);
    }
    auto next = results.begin();
    for (Part &part : turn.parts)
      if (part.toolResult)
        part = (next++)->second;
  }
}

class Encoder {
public:
  Encoder(const Conversation &conversation, const EncodingOptions &options) : options_(options), turns_(mergeTurns(conversation)) {
    sortResults(turns_);
    const bool tools = std::ranges::any_of(conversation, [](const Message &message) { return !message.tools.empty(); });
    drop_ = options.dropReasoning && !tools;
    const auto last = std::ranges::find_if(turns_.rbegin(), turns_.rend(), asksForAnswer, &Turn::role);
    lastQuestion_ = turns_.rend() - last - 1;
    if (options.thinking && drop_) { // instructions to earlier turns go with the reasoning that followed them
      const auto past = std::remove_if(turns_.begin(), turns_.begin() + std::max<ptrdiff_t>(lastQuestion_, 0),
                                       [](const Turn &turn) { return turn.role == Role::Developer; });
      const auto question = turns_.erase(past, turns_.begin() + std::max<ptrdiff_t>(lastQuestion_, 0));
      lastQuestion_ = lastQuestion_ < 0 ? -1 : question - turns_.begin();
    }
  }

  std::vector<Segment> encode() {
    out_.marker(kBos);
    if (options_.thinking && options_.effort == Effort::Maximal)
      out_.text(kMaximalEffort);
    for (size_t i = 0; i < turns_.size(); ++i) {
      writeTurn(i);
      const bool answered =
          i + 1 == turns_.size() || turns_[i + 1].role == Role::Assistant || turns_[i + 1].role == Role::LatestReminder;
      if (answered)
        writeHeader(i);
    }
    return out_.take();
  }

private:
  void writeTurn(size_t i) {
    const Message &message = *turns_[i].message;
    switch (turns_[i].role) {
    case Role::System:
      writeInstructions(message);
      break;
    case Role::Developer:
      out_.marker(kUser);
      writeInstructions(message);
      break;
    case Role::LatestReminder:
      out_.marker(kLatestReminder);
      out_.text(message.content);
      break;
    case Role::User:
    case Role::Tool:
      out_.marker(kUser);
      for (const Part &part : turns_[i].parts) {
        out_.text(&part == turns_[i].parts.data() ? "" : "\n\n");
        out_.text(part.toolResult ? "<tool_result>" + part.text + "</tool_result>" : part.text);
      }
      break;
    case Role::Assistant:
      writeAnswer(i);
      break;
    }
  }

  void writeInstructions(const Message &message) {
    out_.text(message.content);
    if (!message.tools.empty()) {
      out_.text("\n\n");
      out_.format(kToolsBefore);
      for (const std::string &tool : message.tools)
        out_.text((&tool == message.tools.data() ? "" : "\n") + spacedJson(tool));
      out_.text(kToolsAfter);
    }
    if (!message.responseFormat.empty())
      out_.text(fmt::format("\n\n{}{}", kResponseFormat, spacedJson(message.responseFormat)));
  }

  void writeAnswer(size_t i) {
    const Message &message = *turns_[i].message;
    const bool task = i > 0 && !turns_[i - 1].message->task.empty();
    if (reasonsAt(static_cast<ptrdiff_t>(i) - 1) && !task) {
      out_.text(message.reasoning);
      out_.marker(kThinkEnd);
    }
    out_.text(message.content);
    if (!message.toolCalls.empty()) {
      out_.format("\n\n<｜DSML｜tool_calls>\n");
      for (const ToolCall &call : message.toolCalls)
        writeCall(call);
      out_.format("</｜DSML｜tool_calls>");
    }
    if (!message.open)
      out_.marker(kEos);
  }

  void writeCall(const ToolCall &call) {
    using Json = nlohmann::ordered_json;
    Json arguments = parseShallow(call.arguments).value_or(Json());
    if (!arguments.is_object())
      arguments = Json{{"arguments", call.arguments}};
    out_.format("<｜DSML｜invoke name=\"");
    out_.text(call.name + "\">\n");
    bool first = true;
    for (const auto &[key, value] : arguments.items()) {
      out_.text(std::exchange(first, false) ? "" : "\n");
      out_.format("<｜DSML｜parameter name=\"");
      out_.text(fmt::format("{}\" string=\"{}\">", key, value.is_string()));
      out_.text(value.is_string() ? value.get<std::string>() : spacedJson(value.dump()));
      out_.format("</｜DSML｜parameter>");
    }
    out_.format("\n</｜DSML｜invoke>\n");
  }

  // Whether the answer to turn `question` begins with its reasoning.
  bool reasonsAt(ptrdiff_t question) const { return options_.thinking && (!drop_ || question >= lastQuestion_); }

  void writeHeader(size_t i) {
    const std::string &task = turns_[i].message->task;
    if (!asksForAnswer(turns_[i].role))
      return;
    const std::string taskMarker = fmt::format("<｜{}｜>", task);
    if (!task.empty() && task != "action") {
      out_.marker(taskMarker);
      return;
    }
    const bool reasons = task.empty() ? reasonsAt(static_cast<ptrdiff_t>(i)) : options_.thinking;
    out_.marker(kAssistant);
    out_.marker(reasons ? kThinkBegin : kThinkEnd);
    if (!task.empty())
      out_.marker(taskMarker);
  }

  EncodingOptions options_;
  std::vector<Turn> turns_;
  bool drop_ = false;
  ptrdiff_t lastQuestion_ = -1; // the last turn of a user or developer
  SegmentWriter out_;
};

} // namespace

std::vector<Segment> encodeConversation(const Conversation &conversation, const EncodingOptions &options) {
  if (conversation.empty())
    userError("the conversation has no messages");
  return Encoder(conversation, options).encode();
}

std::string promptText(const std::vector<Segment> &segments) {
  std::string text;
  for (const Segment &segment : segments)
    text += segment.text;
  return text;
}

} // namespace ds4::chat
