// The scalars of one decode step, in device memory.
//
// The host writes this block once a step, all but the count; every kernel reads what it needs, so launch arguments stay the same
// from step to step. Plain C layout, shared by host and device; fields are only ever added at the end.
#pragma once

namespace ds4 {

inline constexpr int kMaxWidth = 8; // tokens of one step (verify width) that kernels are built for
inline constexpr int kMaxChunk = 4096; // tokens of a chunk of a prompt, whose ids are in memory of their own

struct Step {
  int pos;                 // position of the first token
  int q;                   // tokens of this step, 1..kMaxWidth, or of this chunk
  int token[kMaxWidth];    // token ids
  float temperature;       // sampling; 0: none wanted
  float topP;              // sampling: 0 < topP <= 1
  float random[kMaxWidth]; // sampling: uniform in [0, 1), one a token
  unsigned unknownExperts; // counted by kernels, over all steps: slots whose id, from a file's table, is no expert's
};

} // namespace ds4
