// `ds4c bench --step` and `--prefill`: what a decode step of a model, or a chunk of a prompt, costs, group by group.
#pragma once

#include <string>
#include <vector>

namespace ds4 {

struct StepBenchArguments {
  std::string model; // GGUF; its weights are not read
  std::string at;    // position and tokens; empty: a place far along
  int64_t context = 32768;
  std::vector<std::string> disabledPasses;
  bool json = false;
  bool prefill = false; // a chunk of a prompt, `at`: its first position and its tokens
};

int benchStep(const StepBenchArguments &arguments);

} // namespace ds4
