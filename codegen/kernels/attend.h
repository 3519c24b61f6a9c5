// attend: q [T, H, d], window [slots, d], sinks [H], rows [capacity, d], picks [T, K] -> y [T, H, d].
//
// One softmax over the window rows of positions max(0, p - Window + 1)..p and the visible compressed rows (Ratio > 0):
// all of them, or those that the picks name (Picks > 0; -1 is padding). The sink is in the denominator alone; a key row
// is its own value. As a Block every token sees positions max(0, pos - Window)..pos + q - 1. One wave a head, Waves heads a
// workgroup, which share the rows through the cache.
//
// Kept in registers: a group of kLanes lanes takes one key at a time, each lane kChannels channels of query, key and
// sum; the 32 / kLanes groups run their own softmax (greatest score, sum, weighted sum of rows) and are merged at the
// end. Scores are in units of log2, so a weight is one exp2.
#pragma once

#include "formats/f16.h"
#include "formats/f32.h"
#include "step.h"

namespace ds4 {

// Lanes that share a key: about 32 channels each.
DS4_DEVICE constexpr int lanesOfKey(int width) {
  int lanes = 1;
  while (lanes < kWaveSize && width % (4 * lanes) == 0 && width / (2 * lanes) >= 32)
    lanes *= 2;
  return lanes;
}

template <int Width> struct HeadSoftmax {
  static constexpr int kLanes = lanesOfKey(Width), kChannels = Width / kLanes, kKeys = kWaveSize / kLanes;
  static_assert(Width % 2 == 0 && kChannels % 2 == 0);
  float query[kChannels], sum[kChannels] = {}, greatest = -1e30f, denominator = 0;

  // Takes in the row at `base`; all lanes of a group call it together.
  template <typename Element> DS4_DEVICE_METHOD void visit(const void *base, int row) {
    constexpr int kAlign = alignmentOf(kChannels * Element::kElementBytes);
    float key[kChannels], part[2] = {};
    Element::template read<kAlign>(key, base, (row * Width + lane() % kLanes * kChannels) * Element::kElementBytes);
#pragma unroll
    for (int i = 0; i < kChannels; ++i)
      part[i % 2] = fma(query[i], key[i], part[i % 2]);
    float score = sumLanes<kLanes>(part[0] + part[1]);
    if (score > greatest) {
      float shrink = exp2(greatest - score);
      greatest = score;
      denominator *= shrink;
#pragma unroll
      for (float &x : sum)
        x *= shrink;
    }
    float weight = exp2(score - greatest);
    denominator += weight;
#pragma unroll
    for (int i = 0; i < kChannels; ++i)
      sum[i] = fma(weight, key[i], sum[i]);
  }

  // Merges the groups and the sink; the result of each lane's channels.
  DS4_DEVICE_METHOD void finish(float sink) {
    float overall = larger(maxLanes(greatest), sink), shrink = exp2(greatest - overall);
    float inverse = reciprocal(sumLanes<kWaveSize, kLanes>(denominator * shrink) + exp2(sink - overall));
#pragma unroll
    for (float &x : sum)
      x = sumLanes<kWaveSize, kLanes>(x * shrink) * inverse;
  }
};

template <typename Element, typename RowElement, typename Sink, int Heads, int Width, int Slots, int Window, int Ratio, int Picks,
          int Waves, bool Block>
DS4_DEVICE void attend(const Step *step, float scale, const float *q, const void *window, const void *sinks, const void *rows,
                       const int *picks, float *y) {
  using Softmax = HeadSoftmax<Width>;
  constexpr float kLog2E = 1.44269504f;
  constexpr int kAlign = alignmentOf(4 * Softmax::kChannels);
  int head = blockX() * Waves + wave();
  if (head >= Heads)
    return;
  int token = tokenIndex(), position = step->pos + token, group = lane() / Softmax::kLanes;
  int first = (token * Heads + head) * Width;
  U32 channel = lane() % Softmax::kLanes * Softmax::kChannels;
  Softmax softmax;
  load<kAlign>(softmax.query, q + first, channel * 4);
#pragma unroll
  for (float &x : softmax.query)
    x *= scale * kLog2E;

  int start = larger(0, Block ? step->pos - Window : position - Window + 1), startSlot = start % Slots;
  int last = Block ? step->pos + step->q - 1 : position;
  for (int i = group; i <= last - start; i += Softmax::kKeys) {
    int slot = startSlot + i;
    softmax.template visit<Element>(window, slot >= Slots ? slot - Slots : slot);
  }
  if constexpr (Ratio > 0) {
    int visible = (position + 1) / Ratio;
    if constexpr (Picks > 0) {
      for (int i = group; i < smaller(Picks, visible); i += Softmax::kKeys) {
        int row = picks[token * Picks + i];
        if (row >= 0 && row < visible)
          softmax.template visit<RowElement>(rows, row);
      }
    } else {
      for (int row = group; row < visible; row += Softmax::kKeys)
        softmax.template visit<RowElement>(rows, row);
    }
  }
  softmax.finish(Sink::at(sinks, head) * kLog2E);
  if (group == 0)
    store<kAlign>(y + first, channel * 4, softmax.sum);
}

} // namespace ds4
