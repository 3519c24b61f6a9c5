// index_score: q [T, H, d], weights [T, H], rows [capacity, d] -> y [T, R], rows of y `capacity` apart:
// sum_h scale * weights[h] * max(0, q[h] . row). Rows that the token cannot see get minus infinity.
//
// A lane holds one row in registers; queries and weights are the same for the whole wave and come by scalar loads, so
// nothing crosses lanes. Workgroup (i, t): Waves * 32 rows of token t.
#pragma once

#include "formats/f16.h"
#include "formats/f32.h"
#include "step.h"

namespace ds4 {

template <typename Element, int Heads, int Width, int Ratio, int Capacity, int Waves>
DS4_DEVICE void indexScore(const Step *step, float scale, const float *q, const float *weights, const void *rows, float *y) {
  static_assert(Width % 4 == 0);
  constexpr int kRowBytes = Width * Element::kElementBytes;
  int token = tokenIndex(), row = (blockX() * Waves + wave()) * kWaveSize + lane();
  int computed = (step->pos + step->q) / Ratio, visible = (step->pos + token + 1) / Ratio;
  if (row >= computed)
    return;
  float score = floatOf(0xff800000u); // minus infinity
  if (row < visible) {
    float key[Width];
    Element::template read<alignmentOf(kRowBytes)>(key, rows, row * kRowBytes);
    score = 0;
    for (int head = 0; head < Heads; ++head) {
      const float *query = q + (token * Heads + head) * Width;
      float product[4] = {};
#pragma unroll
      for (int i = 0; i < Width; ++i)
        product[i % 4] = fma(query[i], key[i], product[i % 4]);
      float sum = (product[0] + product[1]) + (product[2] + product[3]);
      score = fma(scale * weights[token * Heads + head], sum < 0 ? 0 : sum, score);
    }
  }
  y[static_cast<long long>(token) * Capacity + row] = score;
}

} // namespace ds4
