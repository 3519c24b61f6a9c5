// --messages answers a conversation from a file, --chat goes on with one on stdin.
#include <cstdio>
#include <iostream>
#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "runtime/chat/ChatTokens.h"
#include "runtime/chat/Completion.h"
#include "runtime/chat/Markers.h"
#include "support/Error.h"
#include "tools/ds4-run/Generator.h"

namespace ds4 {

namespace {

using chat::Conversation;

class Conversing {
public:
  Conversing(const RunArguments &arguments, const Tokenizer &tokenizer, Generator &generator, Conversation conversation,
             int64_t context)
      : arguments_(arguments), tokenizer_(tokenizer), generator_(generator), conversation_(std::move(conversation)),
        context_(context), thinkEnd_(tokenizer.find(chat::kThinkEnd)) {
    options_.thinking = arguments.thinking != "off";
    options_.effort = arguments.thinking == "max" ? chat::Effort::Maximal : chat::Effort::High;
  }

  void add(chat::Message message) { conversation_.push_back(std::move(message)); }

  // Generates the assistant's next message, shows and keeps it.
  void answer() {
    const std::vector<chat::Segment> segments = encodeConversation(conversation_, options_);
    const std::vector<int32_t> prompt = promptTokens(tokenizer_, segments);
    if (static_cast<int64_t>(prompt.size()) > context_)
      userError("the conversation has {} tokens by now, this plan's context is {}: compile with a larger --context, or begin a new "
                "conversation",
                prompt.size(), context_);
    const int64_t kept = generator_.read(prompt);
    const bool thinking = segments.back().text == chat::kThinkBegin;
    reasons_ = thinking;
    StreamDecoder decoder(tokenizer_, ControlTokens::Visible);
    std::string text;
    const std::vector<int32_t> tokens = generator_.write([&](int32_t token) { show(token, text += decoder.push(token)); });
    text += decoder.finish();
    endReasoning(text);
    chat::Completion completion = chat::parseCompletion(text, thinking);
    if (!completion.malformed.empty())
      fmt::print(stderr, "ds4-run: warning: {}: it stays text\n", oneLine(completion.malformed));
    finish(completion.message, prompt, kept, tokens, text);
    generator_.warnOfEnd();
    generator_.store(conversationJson(conversation_));
  }

private:
  // Reasoning goes to stderr, the answer to stdout, both as they come.
  void show(int32_t token, const std::string &text) {
    if (arguments_.json)
      return;
    if (token == thinkEnd_ && std::exchange(reasons_, false))
      printNow(stderr, "\n");
    else
      printNow(reasons_ ? stderr : stdout, std::string_view(text).substr(shown_));
    shown_ = text.size();
  }

  // Reasoning that the count or the context cut ends its line, too.
  void endReasoning(const std::string &text) {
    if (arguments_.json || !std::exchange(reasons_, false))
      return;
    printNow(stderr, text.substr(shown_) + "\n");
    shown_ = text.size();
  }

  void finish(chat::Message message, const std::vector<int32_t> &prompt, int64_t kept, const std::vector<int32_t> &tokens,
              const std::string &text) {
    if (arguments_.json) {
      nlohmann::ordered_json out{{"message", nlohmann::ordered_json::parse(chat::messageJson(message))},
                                 {"prompt_tokens", prompt.size()},
                                 {"reused_tokens", kept},
                                 {"ids", tokens}};
      printNow(stdout, out.dump() + "\n");
    } else {
      printNow(stdout, text.substr(shown_) + "\n");
    }
    shown_ = 0;
    if (!conversation_.empty() && conversation_.back().open) { // continued, not followed
      conversation_.back().content += message.content;
      conversation_.back().toolCalls = std::move(message.toolCalls);
      conversation_.back().open = false;
    } else {
      conversation_.push_back(std::move(message));
    }
  }

  const RunArguments &arguments_;
  const Tokenizer &tokenizer_;
  Generator &generator_;
  Conversation conversation_;
  int64_t context_; // positions of the plan
  chat::EncodingOptions options_;
  std::optional<int32_t> thinkEnd_;
  bool reasons_ = false; // what comes is reasoning
  size_t shown_ = 0;     // bytes of the answer
};

} // namespace

std::vector<int32_t> talk(const RunArguments &arguments, Executor &executor, const Tokenizer &tokenizer, Conversation conversation,
                          const SessionImage *image, std::unique_ptr<Drafter> drafter) {
  Generator generator(arguments, executor, &tokenizer, image, std::move(drafter));
  const bool asked = awaitsAnswer(conversation);
  Conversing talk(arguments, tokenizer, generator, std::move(conversation), executor.plan().context);
  if (asked)
    talk.answer();
  const bool terminal = ::isatty(STDIN_FILENO);
  for (std::string line; arguments.chat;) {
    if (terminal)
      fmt::print(stderr, "> ");
    if (!std::getline(std::cin, line))
      break;
    if (line.empty())
      continue;
    talk.add({.role = chat::Role::User, .content = line});
    talk.answer();
  }
  generator.showProfile();
  return {generator.response().begin(), generator.response().end()};
}

} // namespace ds4
