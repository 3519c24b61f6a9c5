// ds4-run: generates or scores text with a plan.
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/Model.h"
#include "runtime/DrafterWeights.h"
#include "runtime/ModelTokenizer.h"
#include "runtime/plan/PlanFile.h"
#include "runtime/speculation/NgramDrafter.h"
#include "runtime/speculation/PlanDrafter.h"
#include "tools/CommandLine.h"
#include "tools/TokenIds.h"
#include "tools/ds4-run/Run.h"

namespace ds4 {

namespace {

std::vector<int32_t> readIdsFile(const std::string &path) {
  std::vector<std::byte> bytes = File(path).readAll();
  const char *first = reinterpret_cast<const char *>(bytes.data());
  auto json = nlohmann::json::parse(first, first + bytes.size(), nullptr, /*allow_exceptions=*/false);
  const auto &list = json.is_object() && json.contains("ids") ? json["ids"] : json;
  if (!list.is_array() || !std::all_of(list.begin(), list.end(), [](const auto &id) { return id.is_number_integer(); }))
    userError("'{}' holds no list of token ids: write [0, 5, 7] or {{\"ids\": [0, 5, 7]}}", path);
  std::vector<int32_t> ids;
  for (const auto &id : list) {
    const bool fits = id.is_number_unsigned() ? id.template get<uint64_t>() <= INT32_MAX : id.template get<int64_t>() >= INT32_MIN;
    if (!fits)
      userError("'{}': {} is no token id", path, id.dump());
    ids.push_back(id.template get<int32_t>());
  }
  return ids;
}

// `begins`: no sequence goes before, so BOS does.
std::vector<int32_t> promptIds(const RunArguments &arguments, const Tokenizer *tokenizer, bool begins) {
  if (!arguments.idsText.empty())
    return parseTokenIds(arguments.idsText);
  if (!arguments.idsFile.empty())
    return readIdsFile(arguments.idsFile);
  std::vector<int32_t> ids = tokenizer->encode(arguments.prompt.value_or(""), !arguments.plain);
  return begins && !arguments.noBos ? tokenizer->withBos(std::move(ids)) : ids;
}

// Before anything is loaded; a step checks the same again.
void checkPrompt(const Plan &plan, const std::vector<int32_t> &prompt, size_t before) {
  if (prompt.empty() && before == 0)
    userError("the prompt has no tokens: give --prompt or --ids");
  if (static_cast<int64_t>(before + prompt.size()) > plan.context)
    userError("the prompt has {} tokens{}, this plan's context is {}: compile with a larger --context", prompt.size(),
              before ? fmt::format(" behind the session's {}", before) : "", plan.context);
  checkTokenIds(prompt, plan.vocabulary);
}

// A conversation goes on as one and other text as text: else what the file holds would be lost with the next one stored.
void checkNote(const RunArguments &arguments, const SessionImage &image) {
  const bool conversation = !image.note.empty();
  if (conversation == arguments.talks() || image.tokens.empty())
    return;
  userError("session file '{}' holds {}: go on with {}, or name another with --session", arguments.sessionFile,
            conversation ? "a conversation" : "a text that is no conversation",
            conversation ? "--chat or --messages" : "--prompt, --ids or --ids-file");
}

std::optional<SessionImage> readSession(const RunArguments &arguments, const Plan &plan) {
  if (arguments.sessionFile.empty())
    return std::nullopt;
  const FileWriter writable(arguments.sessionFile); // before anything is generated; it writes nothing yet
  std::error_code unknown;
  if (!std::filesystem::exists(arguments.sessionFile, unknown))
    return std::nullopt;
  SessionImage image = readSessionFile(arguments.sessionFile);
  if (image.plan != planIdentity(plan))
    userError("session file '{}' belongs to another model or plan: run it with that plan, or name another with --session",
              arguments.sessionFile);
  checkNote(arguments, image);
  return image;
}

// From --messages, else the one that the session file remembers, else a new one.
chat::Conversation readConversation(const RunArguments &arguments, const SessionImage *image) {
  if (!arguments.messages.empty()) {
    const std::vector<std::byte> bytes = File(arguments.messages).readAll();
    return chat::parseConversation({reinterpret_cast<const char *>(bytes.data()), bytes.size()}, arguments.messages);
  }
  return image && !image->note.empty() ? chat::parseConversation(image->note, arguments.sessionFile, chat::kMostLevels + 1)
                                       : chat::Conversation{};
}

int run(const RunArguments &arguments) {
  const bool talks = arguments.talks();
  const bool ids = !arguments.idsText.empty() || !arguments.idsFile.empty();
  if (!talks && !arguments.prompt && !ids && arguments.sessionFile.empty())
    userError("nothing to do: give --prompt, --ids, --ids-file, --messages or --chat");
  checkSamplingOptions(arguments.sampling);
  Plan plan = readPlanFile(arguments.plan);
  const Model model = openModel(plan, arguments.plan, arguments.weights);
  std::optional<DrafterModel> drafterModel;
  if (!arguments.drafterWeights.empty())
    drafterModel.emplace(openDrafter(plan, arguments.plan, model, arguments.drafterWeights));
  else if (wantsPlanDrafter(arguments))
    userError("--speculate {} wants the drafter's file: name it with --drafter-weights, and compile the plan with --drafter",
              arguments.speculate);
  if (wantsPlanDrafter(arguments) && plan.drafterKind != arguments.speculate)
    userError("plan '{}' has a drafter of kind {}: choose --speculate {}", arguments.plan, plan.drafterKind, plan.drafterKind);
  checkOutputs(arguments, model, drafterModel ? &*drafterModel : nullptr);
  const std::unique_ptr<WeightSource> weights = openWeights(plan, model, drafterModel ? &*drafterModel : nullptr);
  std::optional<Tokenizer> tokenizer;
  if (!ids || model.file().find("tokenizer.ggml.tokens"))
    tokenizer.emplace(readTokenizer(model.file(), plan.vocabulary));
  const std::optional<SessionImage> image = readSession(arguments, plan);
  const SessionImage *begun = image ? &*image : nullptr;
  chat::Conversation conversation;
  std::vector<int32_t> prompt;
  if (talks) {
    conversation = readConversation(arguments, begun);
    if (!arguments.chat && conversation.empty())
      userError("'{}' has no messages: there is nothing to answer", arguments.messages);
    if (!arguments.chat && !awaitsAnswer(conversation))
      userError("'{}' ends with the assistant's answer: there is nothing to answer", arguments.messages);
  } else {
    prompt = promptIds(arguments, tokenizer ? &*tokenizer : nullptr, /*begins=*/!begun);
    checkPrompt(plan, prompt, begun ? begun->tokens.size() : 0);
  }
  widthControl(arguments, plan); // a wrong one, before loading

  if (arguments.prefillChunk.value_or(0) > (plan.prefill ? plan.prefill->maxWidth : 0))
    userError("--prefill-chunk {}: the plan '{}' {}: compile it with --prefill-chunk {}, or choose less", *arguments.prefillChunk,
              arguments.plan,
              plan.prefill ? fmt::format("has room for {} tokens", plan.prefill->maxWidth) : "reads prompts in steps",
              *arguments.prefillChunk);
  ProfileFiles profile(arguments.profile);
  const std::unique_ptr<Executor> executor = loadExecutor(arguments.load, std::move(plan), *weights);
  profile.record(*executor);
  std::unique_ptr<Drafter> drafter;
  if (arguments.speculate == "ngram")
    drafter = std::make_unique<NgramDrafter>();
  else if (wantsPlanDrafter(arguments))
    drafter = makePlanDrafter(*executor, *weights, executorOptions(arguments.load));
  const std::vector<int32_t> response =
      talks             ? talk(arguments, *executor, *tokenizer, std::move(conversation), begun, std::move(drafter))
      : arguments.score ? scoreTokens(arguments, *executor, prompt)
                        : generateText(arguments, *executor, tokenizer ? &*tokenizer : nullptr, prompt, begun, std::move(drafter));
  profile.finish(response);
  if (const uint32_t unknown = executor->unknownExperts())
    fmt::print(
        stderr,
        "ds4-run: warning: '{}': its routing tables (ffn_gate_tid2eid) named experts that do not exist, {} times, which gave "
        "zeros: the file is damaged, get it again\n",
        arguments.weights, unknown);
  return 0;
}

void addOptions(CLI::App &app, RunArguments &arguments) {
  app.add_option("plan", arguments.plan, "plan made by ds4c compile")->required();
  app.add_option("--weights", arguments.weights, "the GGUF file that the plan was compiled from")->required();
  app.add_option("--drafter-weights", arguments.drafterWeights,
                 "the drafter's GGUF file, for a plan that was compiled with --drafter");
  auto *prompt = app.add_option("--prompt", arguments.prompt, "text to continue; added tokens such as <｜User｜> are recognised");
  auto *idsOption = app.add_option("--ids", arguments.idsText, "token ids to continue, separated by commas")->excludes(prompt);
  auto *idsFile =
      app.add_option("--ids-file", arguments.idsFile, "JSON list of token ids to continue")->excludes(prompt)->excludes(idsOption);
  app.add_flag("--plain", arguments.plain, "take added tokens in the prompt as ordinary text");
  app.add_flag("--no-bos", arguments.noBos, "do not put the begin-of-sentence token before the prompt");
  app.add_option("-n,--count", arguments.count, "tokens to generate")->check(wholeNumber<int64_t>())->capture_default_str();
  app.add_flag("--ignore-eos", arguments.ignoreEos, "go on after the end-of-sentence token");
  app.add_option("--temperature", arguments.sampling.temperature, "0 takes the most likely token")->capture_default_str();
  app.add_option("--top-p", arguments.sampling.topP, "sample from the most likely tokens of this mass")->capture_default_str();
  app.add_option("--seed", arguments.sampling.seed, "of the random numbers")->check(wholeNumber<uint64_t>())->capture_default_str();
  auto *score = app.add_flag("--score", arguments.score,
                             "score the prompt instead of continuing it; sampling and drafts have no part in that");
  addLoadOptions(app, arguments.load);
  app.add_option("--width", arguments.width,
                 "tokens a step: auto, feedback, confidence, cost (how drafts are counted) or a number, which "
                 "holds for reading the prompt, too")
      ->envname("DS4C_WIDTH")
      ->capture_default_str();
  app.add_option_function<std::string>(
         "--prefill-chunk",
         [&](const std::string &text) {
           if (text != "auto")
             arguments.prefillChunk = std::stoll(text);
         },
         "tokens of the prompt that are read at a time: auto (as many as the plan was compiled for), fewer, or 0, which reads it "
         "in "
         "steps")
      ->check(CLI::Validator([](std::string &text) { return text == "auto" ? "" : wholeNumber<int32_t>()(text); }, ""))
      ->envname("DS4C_PREFILL_CHUNK")
      ->default_str("auto");
  app.add_option("--speculate", arguments.speculate,
                 "drafts that steps verify: off, ngram (what the context repeats), dspark or mtp (the plan's drafter, by its "
                 "kind); the tokens "
                 "stay the same")
      ->check(CLI::IsMember({"off", "ngram", "dspark", "mtp"}))
      ->envname("DS4C_SPECULATE")
      ->capture_default_str();
  app.add_flag("--chat", arguments.chat, "talk: each line of stdin is a user's turn")
      ->excludes(prompt)
      ->excludes(idsOption)
      ->excludes(idsFile)
      ->excludes(score);
  app.add_option("--messages", arguments.messages, "JSON list of chat messages to answer, or to begin --chat with")
      ->excludes(prompt)
      ->excludes(idsOption)
      ->excludes(idsFile)
      ->excludes(score);
  app.add_option("--thinking", arguments.thinking, "reasoning before an answer, on stderr as it comes: off, high or max")
      ->check(CLI::IsMember({"off", "high", "max"}))
      ->capture_default_str();
  app.add_option("--session", arguments.sessionFile, "file that the sequence is stored in, and gone on with when it is there")
      ->excludes(score);
  addProfileOptions(app, arguments.profile);
  app.add_flag("--json", arguments.json, "print the result as one JSON object");
}

} // namespace
} // namespace ds4

int main(int argc, char **argv) {
  return ds4::runTool("ds4-run", [&] {
    CLI::App app("Generates or scores text with a compiled plan.");
    ds4::RunArguments arguments;
    ds4::addOptions(app, arguments);
    if (std::optional<int> done = ds4::parseCommandLine(app, argc, argv, {"--prompt", "--profile"}))
      return *done;
    return ds4::run(arguments);
  });
}
