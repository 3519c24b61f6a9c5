// Expected values of a drafter: GOLDENS.json, and the arrays beside it in GOLDENS.safetensors.
#pragma once

#include <string>
#include <vector>

#include "tools/ds4-golden/Compare.h"

namespace ds4::golden {

// What is drafted once the target has processed the tokens up to `position`.
struct DraftAnchor {
  int64_t position = 0;
  int32_t confirmed = 0;
  std::vector<TopLogits> slots; // before the Markov bias
  std::vector<int32_t> drafts;
  std::vector<double> draftGaps; // of each draft's logit to the second best
  std::vector<double> confidenceRaw, confidence;
  std::vector<float> taps, m, x, ringRow; // ringRow: [stages, channels], the row of `position`
  // At the prompt's end, else empty.
  std::vector<std::vector<int32_t>> routerIds;   // [stage][slot * used]
  std::vector<std::vector<float>> routerWeights; // the same
  std::vector<std::vector<float>> streamsAfterStage;
};

struct DraftCase {
  std::string name;
  std::vector<int32_t> tokens;      // the prompt and what followed
  std::vector<DraftAnchor> anchors; // ascending positions
};

// Throws ds4::Error (User) when a file is missing, malformed or lacks a value.
std::vector<DraftCase> readDraftGoldens(const std::string &jsonPath);

} // namespace ds4::golden
