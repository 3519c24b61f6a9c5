// index_score: q [T, H, d], weights [T, H], rows [capacity, d] -> y [T, R], rows of y `capacity` apart:
// sum_h scale * weights[h] * max(0, q[h] . row). Rows that the token cannot see get minus infinity.
//
// Two kernels. indexScoreTiles, of rows of halves, multiplies 16 heads with 16 rows on the matrix unit (tile.h); a query
// value, less than 4096, becomes a half or the sum of two. indexScore, of rows of any element, works in single precision: a lane
// holds one row in registers; queries and weights are the same for the whole wave and come by scalar loads, so nothing crosses
// lanes. Workgroup (i, t): a run of rows of token t. Rows that no token of the step can see are not touched.
#pragma once

#include "formats/f16.h"
#include "formats/f32.h"
#include "step.h"
#include "tile.h"

namespace ds4 {

template <typename Element, int Heads, int Width, int Ratio, int Capacity, int Waves>
DS4_DEVICE void indexScore(const Step *step, float scale, const float *q, const float *weights, const void *rows, float *y,
                           Workgroup workgroup) {
  static_assert(Width % 4 == 0);
  constexpr int kRowBytes = Width * Element::kElementBytes;
  int token = workgroup.token, row = (workgroup.x * Waves + wave()) * kWaveSize + lane();
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

inline constexpr float kIndexFactor = 16; // of query values as halves

// x above zero, else zero; one integer instruction.
DS4_DEVICE float positivePart(float x) { return floatOf(static_cast<U32>(larger(static_cast<int>(bitsOf(x)), 0))); }

// A token's queries as tile operands in LDS: halves, the high ones, then the low ones if there are any. Row 16 g + m of the
// operands is head 16 g + m % 2 * 8 + m / 2, so that a lane's eight sums belong to eight neighbouring heads; rows of heads
// that are not there are zero.
template <int Heads, int Width, int Halves> struct IndexQueries {
  static constexpr int kGroups = (Heads + kTile - 1) / kTile, kRowBytes = Width * 2 + 16; // no two rows begin in one bank
  U32 pairs[Halves][kGroups * kTile * kRowBytes / 4];

  // The head of an operand row. Of a sum of rows without a common bit it is the sum of theirs.
  DS4_DEVICE_METHOD static constexpr int headOf(int row) { return row / kTile * kTile + row % 2 * 8 + row % kTile / 2; }

  template <int Threads> DS4_DEVICE_METHOD void fill(const float *q) {
    constexpr int kQuads = Width / 4, kRowsAtOnce = Threads / kQuads, kRows = kGroups * kTile;
    static_assert(Threads % kQuads == 0 && (kRowsAtOnce & (kRowsAtOnce - 1)) == 0);
    int own = threadIndex() / kQuads, quad = threadIndex() % kQuads;
#pragma unroll
    for (int row = 0; row < kRows; row += kRowsAtOnce) {
      if (kRows < kRowsAtOnce && own >= kRows)
        break;
      float value[4] = {};
      if (Heads % kTile == 0 || headOf(row) + headOf(own) < Heads)
        load<16>(value, q + headOf(row) * Width, (headOf(own) * Width + quad * 4) * 4);
      U32 first[Halves], second[Halves];
      splitHalves(value[0], value[1], kIndexFactor, first);
      splitHalves(value[2], value[3], kIndexFactor, second);
#pragma unroll
      for (int half = 0; half < Halves; ++half) {
        const U32 quadPairs[2] = {first[half], second[half]};
        store<8>(pairs[half], (row + own) * kRowBytes + quad * 8, quadPairs);
      }
    }
  }
  DS4_DEVICE_METHOD TileOperand operand(int half, int group, int step) const {
    return tileOperand(pairs[half], [&](int m) { return static_cast<U32>((group * kTile + m) * kRowBytes + step * 32); });
  }
};

template <int Heads, int Width, int Ratio, int Capacity, int Waves, int Halves, int RowTiles>
DS4_DEVICE void indexScoreTiles(const Step *step, float scale, const float *q, const float *weights, const void *rows, float *y,
                                Workgroup workgroup) {
  using Queries = IndexQueries<Heads, Width, Halves>;
  constexpr int kGroups = Queries::kGroups, kOwn = RowTiles * kTile; // rows of a wave
  static_assert(Width % kTile == 0 && kOwn <= kWaveSize);
  alignas(16) DS4_SHARED Queries queries;
  int token = workgroup.token, computed = (step->pos + step->q) / Ratio, visible = (step->pos + token + 1) / Ratio;
  int first = workgroup.x * Waves * kOwn;
  if (first >= computed)
    return;
  queries.template fill<Waves * kWaveSize>(q + token * Heads * Width);
  first += wave() * kOwn;
  // All that the wave needs of its rows is asked for before the wait for the queries.
  constexpr int kSteps = Width / kTile;
  TileOperand key[kSteps][RowTiles];
  if (first < visible)
#pragma unroll
    for (int k = 0; k < kSteps; ++k)
#pragma unroll
      for (int r = 0; r < RowTiles; ++r)
        key[k][r] = tileOperand(
            rows, [&](int n) { return static_cast<U32>(smaller(first + r * kTile + n, visible - 1) * Width * 2 + k * 32); });
  barrier();
  if (first >= computed)
    return;
  float score = floatOf(0xff800000u); // minus infinity
  if (first < visible) {
    TileSum sum[kGroups][RowTiles];
#pragma unroll
    for (int k = 0; k < kSteps; ++k) {
      holdSchedule(); // else all queries are read first, which takes more registers than there are
#pragma unroll
      for (int g = 0; g < kGroups; ++g)
#pragma unroll
        for (int half = 0; half < Halves; ++half) {
          TileOperand query = queries.operand(half, g, k);
#pragma unroll
          for (int r = 0; r < RowTiles; ++r)
            multiply(sum[g][r], query, key[k][r]);
        }
    }
    float total[RowTiles] = {};
#pragma unroll
    for (int g = 0; g < kGroups; ++g) {
      // Sums of heads that are not there are zero, whatever their weight.
      float weight[8];
      int head = g * kTile + lane() / 16 * 8;
      if constexpr (Heads % 8 == 0) {
        load<16>(weight, weights, (token * Heads + smaller(head, Heads - 8)) * 4);
      } else {
#pragma unroll
        for (int i = 0; i < 8; ++i)
          weight[i] = weights[token * Heads + smaller(head + i, Heads - 1)];
      }
#pragma unroll
      for (int r = 0; r < RowTiles; ++r) {
        float product[8];
        rowsOf(sum[g][r], product);
#pragma unroll
        for (int i = 0; i < 8; ++i)
          total[r] = fma(weight[i], positivePart(product[i]), total[r]);
      }
    }
    // Lanes 16..31 have the other eight heads of each group; each half of the wave keeps a tile of rows.
    const float other = laneXor<16>(lane() < 16 ? total[RowTiles - 1] : total[0]);
    score = ((lane() < 16 ? total[0] : total[RowTiles - 1]) + other) * (scale / kIndexFactor);
  }
  int row = first + lane();
  if (row < computed && (kOwn == kWaveSize || lane() < kOwn))
    y[static_cast<long long>(token) * Capacity + row] = row < visible ? score : floatOf(0xff800000u);
}

} // namespace ds4
