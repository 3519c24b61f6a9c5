// Completions taken apart: what the encoder wrote comes back, and what a model spoiled stays text.
#include "runtime/chat/Completion.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "runtime/chat/ChatEncoding.h"
#include "support/File.h"

using namespace ds4;
using namespace ds4::chat;

namespace {

// The completion that follows the conversation's last question, as the encoder would have written it.
std::string completionOf(Conversation conversation, const EncodingOptions &options) {
  const std::string whole = promptText(encodeConversation(conversation, options));
  conversation.pop_back();
  return whole.substr(promptText(encodeConversation(conversation, options)).size());
}

} // namespace

TEST(Completion, GivesBackTheAnswersOfThePublishedCases) {
  int answers = 0;
  for (int number : {1, 2, 4}) {
    const std::string name = fmt::format(DS4C_SOURCE_DIR "/tests/goldens/chat/test_input_{}.json", number);
    const std::vector<std::byte> bytes = File(name).readAll();
    const Conversation all = parseConversation({reinterpret_cast<const char *>(bytes.data()), bytes.size()}, name);
    for (size_t i = 0; i < all.size(); ++i) {
      if (all[i].role != Role::Assistant)
        continue;
      const EncodingOptions options{.thinking = number != 4};
      const Completion completion =
          parseCompletion(completionOf({all.begin(), all.begin() + static_cast<ptrdiff_t>(i) + 1}, options), options.thinking);
      EXPECT_EQ(completion.malformed, "");
      EXPECT_EQ(completion.message.content, all[i].content);
      EXPECT_EQ(completion.message.reasoning, all[i].reasoning);
      ASSERT_EQ(completion.message.toolCalls.size(), all[i].toolCalls.size());
      for (size_t c = 0; c < all[i].toolCalls.size(); ++c) {
        EXPECT_EQ(completion.message.toolCalls[c].name, all[i].toolCalls[c].name);
        EXPECT_EQ(completion.message.toolCalls[c].arguments, all[i].toolCalls[c].arguments);
      }
      ++answers;
    }
  }
  EXPECT_EQ(answers, 6);
}

TEST(Completion, ArgumentsOfEveryTypeSurvive) {
  const std::string arguments =
      R"({"text": "a <b> \"c\"\nd", "number": -1.5, "list": [1, {"k": null}], "flag": true, "empty": ""})";
  Message answer{
      .role = Role::Assistant, .content = "See:", .toolCalls = {{"call_0", "f", arguments}, {"call_1", "no_arguments", "{}"}}};
  const Completion completion = parseCompletion(completionOf({{.content = "q"}, answer}, {}), false);
  EXPECT_EQ(completion.malformed, "");
  EXPECT_EQ(completion.message.content, "See:");
  EXPECT_EQ(completion.message.toolCalls, answer.toolCalls);
}

TEST(Completion, ReasoningThatWasCutShortIsReasoning) {
  const Completion completion = parseCompletion("so far", true);
  EXPECT_EQ(completion.message.reasoning, "so far");
  EXPECT_EQ(completion.message.content, "");
}

TEST(Completion, WithoutThinkingAllIsContentUpToTheEnd) {
  EXPECT_EQ(parseCompletion("a</think>b<｜end▁of▁sentence｜>c", false).message.content, "a</think>b");
  EXPECT_EQ(parseCompletion("", false).message.content, "");
}

TEST(Completion, SpoiledCallsStayContentAndSayWhy) {
  const std::string open = "<｜DSML｜tool_calls>\n<｜DSML｜invoke name=\"f\">\n",
                    parameter = "<｜DSML｜parameter name=\"p\" string=";
  const std::pair<std::string, std::string> cases[] = {
      {"<｜DSML｜tool_calls>", "the block of tool calls does not end"},
      {open, "the call of 'f' does not end"},
      {"<｜DSML｜tool_calls><｜DSML｜invoke name=\"f", "a call's name does not end"},
      {open + "<｜DSML｜parameter name=\"p", "a parameter's name does not end"},
      {open + parameter + "\"maybe\">1", "parameter 'p' says neither string=\"true\" nor \"false\""},
      {open + parameter + "\"true\">1", "parameter 'p' does not end"},
      {open + parameter + "\"false\">{</｜DSML｜parameter>", "parameter 'p' is no JSON"},
      {open + parameter + "\"false\">" + std::string(100000, '[') + std::string(100000, ']') + "</｜DSML｜parameter>",
       "parameter 'p' is nested deeper than 99 levels"},
      {open + "</｜DSML｜invoke></｜DSML｜tool_calls>more", "text after the block of tool calls"},
  };
  for (const auto &[text, why] : cases) {
    const Completion completion = parseCompletion("Well.\n\n" + text, false);
    EXPECT_EQ(completion.malformed, why) << text;
    EXPECT_EQ(completion.message.content, "Well.\n\n" + text);
    EXPECT_TRUE(completion.message.toolCalls.empty());
  }
}
