// The parts of ds4-run: what was asked for, and the things it can do.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/DrafterModel.h"
#include "runtime/Executor.h"
#include "runtime/Session.h"
#include "runtime/chat/Conversation.h"
#include "runtime/tokenizer/Tokenizer.h"
#include "tools/ds4-run/Loading.h"
#include "tools/ds4-run/Profile.h"

namespace ds4 {

struct RunArguments {
  std::string plan, weights, drafterWeights;
  std::optional<std::string> prompt;
  std::string idsText, idsFile;
  bool plain = false; // added tokens in the prompt are ordinary text
  bool noBos = false; // do not put BOS before the prompt
  bool ignoreEos = false;
  bool score = false, json = false;
  ProfileArguments profile;
  int64_t count = 64;
  std::string width = "auto";          // tokens a step: makeWidthControl(); a number holds for reading the prompt, too
  std::optional<int64_t> prefillChunk; // tokens of a chunk of the prompt; 0: none
  std::string speculate = "off";       // off, ngram, dspark or mtp
  bool chat = false;                   // a conversation on stdin, one line a turn
  std::string messages;                // file of a conversation
  std::string thinking = "off";        // off, high or max
  std::string sessionFile;             // the sequence is read from it and stored in it
  LoadArguments load;
  SamplingOptions sampling;

  bool talks() const { return chat || !messages.empty(); }
};

// Tokens a step while reading: the number in --width, else 0 (the plan's greatest).
int readingWidth(const RunArguments &arguments);
// Whether --speculate names a drafter that plans are compiled with.
bool wantsPlanDrafter(const RunArguments &arguments);
// Of --width, for the drafter of --speculate. Throws ds4::Error (User) for a width that is none.
std::unique_ptr<WidthControl> widthControl(const RunArguments &arguments, const Plan &plan);

// Throws ds4::Error (User) when a file that is written would replace one that is read, or be two in one.
void checkOutputs(const RunArguments &arguments, const Model &model, const DrafterModel *drafter);

// All print to stdout nothing but their result, and return the tokens that were generated. `image` is the sequence to go on with,
// if any: generateText() appends the prompt to it, talk() looks how much of the conversation it holds already. `drafter`: null, no
// speculation.
std::vector<int32_t> generateText(const RunArguments &arguments, Executor &executor, const Tokenizer *tokenizer,
                                  const std::vector<int32_t> &prompt, const SessionImage *image, std::unique_ptr<Drafter> drafter);
std::vector<int32_t> talk(const RunArguments &arguments, Executor &executor, const Tokenizer &tokenizer,
                          chat::Conversation conversation, const SessionImage *image, std::unique_ptr<Drafter> drafter);
std::vector<int32_t> scoreTokens(const RunArguments &arguments, Executor &executor, const std::vector<int32_t> &ids);

} // namespace ds4
