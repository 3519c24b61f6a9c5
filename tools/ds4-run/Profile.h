// What --profile and --profile-json show of a run: a summary of prompt and decode, and files of every step, launch and copy.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "runtime/Executor.h"
#include "support/File.h"

namespace ds4 {

struct ProfileArguments {
  bool summary = false;
  std::string trace, records; // paths; "": none
};

// Adds --profile and --profile-json.
void addProfileOptions(CLI::App &app, ProfileArguments &arguments);

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

// The files that were asked for. They are opened at once, so that a path that cannot be written is told before anything is
// loaded, and appear when finish() has written them.
class ProfileFiles {
public:
  explicit ProfileFiles(const ProfileArguments &arguments);

  // From now on every step of the executor is recorded, unless no file was asked for. The executor must outlive this.
  void record(Executor &executor);
  // `response`: the tokens that were generated.
  void finish(std::span<const int32_t> response);

private:
  std::optional<FileWriter> trace_, records_;
  Executor *executor_ = nullptr;
  std::optional<trace::Recorder> recorder_;
};

} // namespace ds4
