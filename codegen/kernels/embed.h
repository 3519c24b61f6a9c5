// embed: tokens of the step, table [V, D] -> y [T, S, D]: the token's row, in each stream. A thread takes kQuad<D>
// channels. Token ids are checked by whoever fills the step block.
#pragma once

#include "row.h"
#include "step.h"

namespace ds4 {

template <typename Format, int Width, int Streams, int Threads>
DS4_DEVICE void embed(const Step *step, const void *table, float *y) {
  constexpr int kRun = kQuad<Width>;
  int token = tokenIndex(), channel = (blockX() * Threads + threadIndex()) * kRun;
  if (channel >= Width)
    return;
  const Byte *row = static_cast<const Byte *>(table) + step->token[token] * kRowBytes<Format, Width>;
  float values[kRun];
#pragma unroll
  for (int i = 0; i < kRun; ++i)
    values[i] = Format::at(row, channel + i);
#pragma unroll
  for (int stream = 0; stream < Streams; ++stream)
    store<4 * kRun>(y + (token * Streams + stream) * Width, channel * 4, values);
}

} // namespace ds4
