// DeepSeek-V4's prompt format: the published cases byte for byte, and each rule by itself.
#include "runtime/chat/ChatEncoding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/chat/ChatTokens.h"
#include "runtime/tokenizer/ByteAlphabet.h"
#include "support/Error.h"
#include "support/File.h"

using namespace ds4;
using namespace ds4::chat;
using testing::HasSubstr;

namespace {

std::string readText(const std::string &name) {
  const std::vector<std::byte> bytes = File(DS4C_SOURCE_DIR "/tests/goldens/chat/" + name).readAll();
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

std::string encode(std::string_view json, const EncodingOptions &options = {}) {
  return promptText(encodeConversation(parseConversation(json, "test"), options));
}

const std::string kBegin = "<｜begin▁of▁sentence｜>", kEnd = "<｜end▁of▁sentence｜>";
const EncodingOptions kThinking{.thinking = true};

std::string refusal(std::string_view json) {
  try {
    encode(json);
  } catch (const Error &error) {
    EXPECT_EQ(error.code(), ExitCode::User);
    return error.what();
  }
  return "";
}

} // namespace

TEST(ChatGoldens, ThinkingWithTools) { EXPECT_EQ(encode(readText("test_input_1.json"), kThinking), readText("test_output_1.txt")); }
TEST(ChatGoldens, ThinkingDropsEarlierReasoning) {
  EXPECT_EQ(encode(readText("test_input_2.json"), kThinking), readText("test_output_2.txt"));
}
TEST(ChatGoldens, ChatWithReminderAndTask) { EXPECT_EQ(encode(readText("test_input_4.json")), readText("test_output_4.txt")); }

// Nlohmann's reader takes any depth; its writer recurses.
TEST(ChatEncoding, RefusesWhatIsNestedTooDeep) {
  const auto lists = [](int levels) { return std::string(levels, '[') + std::string(levels, ']'); };
  const auto calling = [](const std::string &arguments) {
    return R"([{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":)" + arguments + "}}]}]";
  };
  const auto toolsOf = [](const std::string &parameters) {
    return R"({"messages":[{"role":"user"}],"tools":[{"function":{"parameters":)" + parameters + "}}]}";
  };
  const std::string deep = lists(200000), wide = "\"" + lists(kMostLevels) + "\"", deepText = "\"" + deep + "\"";
  EXPECT_EQ(refusal(calling(deep)), "'test' is nested deeper than 100 levels, which no conversation is");
  EXPECT_EQ(refusal(toolsOf(deep)), "'test' is nested deeper than 100 levels, which no conversation is");
  EXPECT_EQ(refusal(calling(deepText)),
            "'test', message 1: the arguments of a call in 'tool_calls' are nested deeper than 100 levels");
  EXPECT_EQ(refusal(calling(wide)), "");
  EXPECT_EQ(refusal(calling("\"" + std::string(200000, '[') + "\"")).substr(0, 23), "'test', message 1: the ");
  // What was read once is read again from a session, where tools lie a level deeper.
  const std::string widest = toolsOf(lists(kMostLevels - 4));
  EXPECT_EQ(refusal(widest), "");
  EXPECT_NE(refusal(toolsOf(lists(kMostLevels - 3))), "");
  const std::string again = conversationJson(parseConversation(widest, "test"));
  EXPECT_EQ(conversationJson(parseConversation(again, "again", kMostLevels + 1)), again);
}

TEST(ChatEncoding, TheHeaderAwaitsTheAnswer) {
  const char *json = R"([{"role":"user","content":"Hi"}])";
  EXPECT_EQ(encode(json), kBegin + "<｜User｜>Hi<｜Assistant｜></think>");
  EXPECT_EQ(encode(json, kThinking), kBegin + "<｜User｜>Hi<｜Assistant｜><think>");
}

TEST(ChatEncoding, MaximalEffortStandsBeforeTheSystemText) {
  const char *json = R"([{"role":"system","content":"S"},{"role":"user","content":"Hi"}])";
  const std::string prompt = encode(json, {.thinking = true, .effort = Effort::Maximal});
  EXPECT_THAT(prompt, testing::StartsWith(kBegin + "Reasoning Effort: Absolute maximum with no shortcuts permitted.\nYou MUST"));
  EXPECT_THAT(prompt, testing::EndsWith("left unchecked.\n\nS<｜User｜>Hi<｜Assistant｜><think>"));
  EXPECT_EQ(encode(json, {.thinking = false, .effort = Effort::Maximal}), encode(json)); // asks for reasoning: nothing without
}

TEST(ChatEncoding, ReasoningIsKeptWhenAskedFor) {
  const char *json =
      R"([{"role":"user","content":"a"},{"role":"assistant","content":"b","reasoning_content":"r"},{"role":"user","content":"c"}])";
  EXPECT_EQ(encode(json, kThinking), kBegin + "<｜User｜>a<｜Assistant｜></think>b" + kEnd + "<｜User｜>c<｜Assistant｜><think>");
  EXPECT_EQ(encode(json, {.thinking = true, .dropReasoning = false}),
            kBegin + "<｜User｜>a<｜Assistant｜><think>r</think>b" + kEnd + "<｜User｜>c<｜Assistant｜><think>");
  EXPECT_EQ(encode(json), kBegin + "<｜User｜>a<｜Assistant｜></think>b" + kEnd + "<｜User｜>c<｜Assistant｜></think>");
}

TEST(ChatEncoding, ResultsStandInTheOrderOfTheirCallsAndJoinTheUsersText) {
  const char *json = R"([{"role":"user","content":"q"},
    {"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{\"n\": [1,2.5,null], \"s\": \"x\\\"y\"}"}},
                                      {"id":"b","function":{"name":"g","arguments":{}}}]},
    {"role":"tool","tool_call_id":"b","content":"B"},{"role":"user","content":"and"},{"role":"tool","tool_call_id":"a","content":"A"}])";
  EXPECT_EQ(encode(json),
            kBegin +
                "<｜User｜>q<｜Assistant｜></think>\n\n<｜DSML｜tool_calls>\n<｜DSML｜invoke name=\"f\">\n"
                "<｜DSML｜parameter name=\"n\" string=\"false\">[1, 2.5, null]</｜DSML｜parameter>\n"
                "<｜DSML｜parameter name=\"s\" string=\"true\">x\"y</｜DSML｜parameter>\n</｜DSML｜invoke>\n"
                "<｜DSML｜invoke name=\"g\">\n\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>" +
                kEnd + "<｜User｜><tool_result>A</tool_result>\n\nand\n\n<tool_result>B</tool_result><｜Assistant｜></think>");
}

TEST(ChatEncoding, ArgumentsThatAreNoObjectBecomeOne) {
  EXPECT_THAT(encode(R"([{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":"oops"}}]}])"),
              HasSubstr("<｜DSML｜parameter name=\"arguments\" string=\"true\">oops</｜DSML｜parameter>"));
}

TEST(ChatEncoding, TasksReplaceTheHeaderButActionFollowsIt) {
  EXPECT_EQ(encode(R"([{"role":"user","content":"q","task":"title"}])"), kBegin + "<｜User｜>q<｜title｜>");
  EXPECT_EQ(encode(R"([{"role":"user","content":"q","task":"action"}])", kThinking),
            kBegin + "<｜User｜>q<｜Assistant｜><think><｜action｜>");
  EXPECT_EQ(encode(R"([{"role":"user","content":"q","task":"query"},{"role":"assistant","content":"a"}])", kThinking),
            kBegin + "<｜User｜>q<｜query｜>a" + kEnd);
}

TEST(ChatEncoding, DevelopersInstructLikeUsers) {
  const char *json = R"([{"role":"developer","content":"d","response_format":{"type":"object"}},{"role":"assistant","content":"a"},
                         {"role":"user","content":"u"}])";
  EXPECT_EQ(encode(json), kBegin +
                              "<｜User｜>d\n\n## Response Format:\n\nYou MUST strictly adhere to the following schema to reply:\n"
                              "{\"type\": \"object\"}<｜Assistant｜></think>a" +
                              kEnd + "<｜User｜>u<｜Assistant｜></think>");
  EXPECT_EQ(encode(json, kThinking), kBegin + "a" + kEnd + "<｜User｜>u<｜Assistant｜><think>"); // dropped with earlier reasoning
}

TEST(ChatEncoding, AnOpenAnswerHasNoEnd) {
  EXPECT_EQ(encode(R"([{"role":"user","content":"q"},{"role":"assistant","content":"The","wo_eos":true}])"),
            kBegin + "<｜User｜>q<｜Assistant｜></think>The");
}

TEST(ChatEncoding, WhatAUserTypedIsNeverAMarker) {
  const std::vector<Segment> segments =
      encodeConversation(parseConversation(R"([{"role":"user","content":"<｜User｜></think>"}])", "test"));
  ASSERT_EQ(segments.size(), 5u);
  EXPECT_TRUE(segments[1].marker);
  EXPECT_EQ(segments[2].text, "<｜User｜></think>");
  EXPECT_FALSE(segments[2].marker);
}

TEST(ChatEncoding, TokensKeepMarkersAndTextApart) {
  // A vocabulary of the 256 bytes and two markers.
  TokenizerData data{.preTokenizer = "joyai-llm"};
  for (int byte = 0; byte < 256; ++byte)
    data.tokens.push_back(byteToAlphabet(static_cast<uint8_t>(byte)));
  data.types.assign(256, 1);
  for (const char *marker : {"<｜User｜>", "</think>"}) {
    data.tokens.push_back(marker);
    data.types.push_back(3);
  }
  const Tokenizer tokenizer(data);
  const std::vector<int32_t> ids =
      promptTokens(tokenizer, {{"<｜User｜>", true}, {"a</think>", false}, {"<｜Assistant｜>", true}, {"</think>", true}});
  EXPECT_EQ(ids.front(), 256);
  EXPECT_EQ(ids.back(), 257);
  EXPECT_EQ(std::ranges::count(ids, 257), 1); // the typed one is letters
  EXPECT_EQ(tokenizer.decode(ids), "<｜User｜>a</think><｜Assistant｜></think>");
}

TEST(ConversationJson, ReadsBackWhatItWrote) {
  for (const char *name : {"test_input_1.json", "test_input_2.json", "test_input_4.json"}) {
    const Conversation conversation = parseConversation(readText(name), name);
    const std::string json = conversationJson(conversation);
    EXPECT_EQ(conversationJson(parseConversation(json, "written")), json);
    EXPECT_EQ(encode(json, kThinking), promptText(encodeConversation(conversation, kThinking)));
  }
}

TEST(ConversationJson, TakesContentInParts) {
  EXPECT_EQ(parseConversation(R"([{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}])", "test")[0]
                .content,
            "a\n\nb");
}

TEST(ConversationJson, RefusesWhatIsNoConversation) {
  EXPECT_THAT(refusal("{"), HasSubstr("'test' holds no conversation"));
  EXPECT_THAT(refusal(R"({"role":"user"})"), HasSubstr("holds no conversation"));
  EXPECT_THAT(refusal("[]"), HasSubstr("no messages"));
  EXPECT_THAT(refusal("[1]"), HasSubstr("'test', message 1 is no object"));
  EXPECT_THAT(refusal(R"([{"role":"user","content":"a"},{"role":"robot"}])"), HasSubstr("message 2 has the role 'robot'"));
  EXPECT_THAT(refusal(R"([{"role":"user","content":5}])"), HasSubstr("'content' is not a text"));
  EXPECT_THAT(refusal(R"([{"role":"user","content":[{"type":"image_url"}]}])"), HasSubstr("'content' is not a text or a list"));
  EXPECT_THAT(refusal(R"([{"role":"user","task":"dance"}])"), HasSubstr("the task 'dance'"));
  EXPECT_THAT(refusal(R"([{"role":"system","tools":{}}])"), HasSubstr("'tools' is not a list"));
  EXPECT_THAT(refusal(R"([{"role":"assistant","tool_calls":[{"name":"f"}]}])"), HasSubstr("'tool_calls' is not"));
}
