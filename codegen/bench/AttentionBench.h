// Counted costs of attention's kernels at the sizes of DeepSeek-V4-Flash: index scores, the selection of rows and the
// attention itself, run in the simulator.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ds4 {

struct AttentionCost {
  std::string op;           // "select_top_k", "index_score", "masked_attention"
  std::string schedule;     // what distinguishes the kernel and its data: "direct, 10 parts", "all equal"
  int rows = 0, tokens = 0; // rows scored, chosen from or attended to by a token
  uint64_t instructions = 0, withoutWaits = 0, wmma = 0; // wave instructions of the launch
  uint64_t longestWave = 0, workgroups = 0;
  double lines = 0;        // 64-byte lines requested, over distinct ones
  double scratchBytes = 0; // a token's, that workgroups hand over to each other
  int vgprs = 0, ldsBytes = 0;
  double error = 0; // greatest, over the greatest result; of a selection: ids that are wrong
  std::optional<uint64_t> limit, wmmaLimit;
};

struct AttentionSelection {
  std::string op; // empty: all
  std::vector<int> tokens{1, 4};
};

// Runs each kernel once for each number of tokens, some 10 seconds in all.
std::vector<AttentionCost> measureAttention(const AttentionSelection &selection = {});

} // namespace ds4
