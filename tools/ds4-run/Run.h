// The parts of ds4-run: what was asked for, and the two things it can do.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/Executor.h"
#include "runtime/Session.h"
#include "runtime/tokenizer/Tokenizer.h"

namespace ds4 {

struct RunArguments {
  std::string plan, weights, device = "auto";
  std::optional<std::string> prompt;
  std::string idsText, idsFile;
  bool plain = false;   // added tokens in the prompt are ordinary text
  bool noBos = false;   // do not put BOS before the prompt
  bool ignoreEos = false;
  bool score = false, json = false, profile = false;
  int64_t count = 64;
  int width = 0;        // tokens a step while reading the prompt; 0 = the plan's greatest
  unsigned threads = 2; // of the simulator
  SamplingOptions sampling;
};

// Wall time and counted work of a stretch of steps.
class Meter {
public:
  explicit Meter(const Executor &executor);
  void start();
  void stop();
  void addStep(int64_t tokens, int64_t launches);
  // One line: tokens, seconds, tokens a second, launches a token and, on the simulator, instructions.
  std::string describe(const char *what) const;

private:
  uint64_t instructionsNow() const;

  const Executor &executor_;
  std::chrono::steady_clock::time_point since_;
  double seconds_ = 0;
  int64_t tokens_ = 0, launches_ = 0;
  uint64_t before_ = 0, instructions_ = 0;
};

// Both print to stdout nothing but their result, and return the exit code.
int generateText(const RunArguments &arguments, Executor &executor, const Tokenizer *tokenizer, const std::vector<int32_t> &prompt);
int scoreTokens(const RunArguments &arguments, Executor &executor, const std::vector<int32_t> &ids);

} // namespace ds4
