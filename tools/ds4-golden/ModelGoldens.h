// Expected values of whole-model runs: GOLDENS.json, and the arrays beside it in GOLDENS.safetensors.
#pragma once

#include <string>
#include <vector>

#include "tools/ds4-golden/Compare.h"

namespace ds4::golden {

struct ModelCase {
  std::string name;
  std::vector<int32_t> tokens; // the prompt
  struct Position {
    int64_t position = 0;
    TopLogits top;
  };
  std::vector<Position> positions;
  std::vector<int32_t> greedy; // tokens that follow the prompt
  // Of the last prompt token: experts by layer, selected rows by layer with an indexer.
  std::vector<std::vector<int32_t>> routerIds, indexerPicks;
  std::vector<std::vector<float>> routerWeights;
  std::vector<float> lastLogits;
  std::vector<std::vector<float>> streamsAfterLayer; // [layer][streams * width], of the last prompt token
};

// Throws ds4::Error (User) when a file is missing, malformed or lacks a value.
std::vector<ModelCase> readModelGoldens(const std::string &jsonPath);

} // namespace ds4::golden
