// `ds4c bench --step`: what a decode step of a model costs, group by group.
#pragma once

#include <string>
#include <vector>

namespace ds4 {

struct StepBenchArguments {
  std::string model;          // GGUF; its weights are not read
  std::string at = "32767,1"; // position and tokens
  int64_t context = 32768;
  std::vector<std::string> disabledPasses;
  bool json = false;
};

int benchStep(const StepBenchArguments &arguments);

} // namespace ds4
