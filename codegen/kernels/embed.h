// embed: ids [T], of the step block or made by the step, table [V, D] -> y [T, S, D]: the token's row, in each stream. A thread
// takes a run of the format, or one channel where rows hold no whole runs. Ids are checked by whoever writes them.
#pragma once

#include "row.h"
#include "step.h"

namespace ds4 {

template <typename Format, int Width, int Streams, int Threads> DS4_DEVICE void embed(const int *ids, const void *table, float *y) {
  constexpr int kRun = Width % Format::kRun == 0 ? Format::kRun : 1;
  int token = tokenIndex(), channel = (blockX() * Threads + threadIndex()) * kRun;
  if (channel >= Width)
    return;
  const Byte *row = static_cast<const Byte *>(table) + ids[token] * kRowBytes<Format, Width>;
  float values[kRun];
  if constexpr (kRun == 1)
    values[0] = Format::at(row, channel);
  else
    Format::template decode<alignmentOf(kRowBytes<Format, Width>)>(row, 0, channel / kRun, values);
#pragma unroll
  for (int stream = 0; stream < Streams; ++stream)
    store<alignmentOf(4 * kRun)>(y + (token * Streams + stream) * Width, channel * 4, values);
}

} // namespace ds4
