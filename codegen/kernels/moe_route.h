// moe_route: x [T, D], router [E, D], shared gate and up [N, D], bias [E] or table [V, U] -> ids [T, U], weights [T, U],
// hs [T, N]: the experts of each token, and the hidden activations of the shared expert.
//
// The first workgroups of the grid are the router's, two rows a wave; the one of them that arrives last chooses the experts,
// while the shared expert's workgroups behind them still read their weights. Scratch: a counter a token, then logits [T, E].
//
// The shared expert's workgroups of token t take that token, or tokens t * Columns on, up to Columns of them (SharedColumns).
#pragma once

#include "expert_columns.h"
#include "gated_rows.h"
#include "hand_over.h"
#include "hash_router.h"
#include "router.h"

namespace ds4 {

inline constexpr int kRouterRows = 2; // of a wave: they share the loads of x

template <int Experts, int Waves> inline constexpr int kRouterBlocks = (Experts + Waves * kRouterRows - 1) / (Waves * kRouterRows);

// Where a launch's logits stand.
DS4_DEVICE float *routerLogits(void *scratch) {
  return reinterpret_cast<float *>(static_cast<Byte *>(scratch) + kScratchCounterBytes);
}

// The rows of this wave to the logits in scratch. True in the first wave of the workgroup that completes a token's.
template <typename Format, int Experts, int D, int Waves>
DS4_DEVICE bool routeRows(const float *x, const void *router, float *logits, void *scratch) {
  constexpr int kRuns = D / Format::kRun / kWaveSize, kRow = kRowBytes<Format, D>;
  constexpr int kUnrolled = 8 * kRunsUnderWay / Format::kRun; // more need more registers than the other products
  int first = (blockX() * Waves + wave()) * kRouterRows;
  if (first < Experts)
    prefetchAll(static_cast<const Byte *>(router) + first * kRow, smaller(kRouterRows, Experts - first) * kRow);
  awaitPrevious();
  if (first < Experts) {
    const Byte *weights = static_cast<const Byte *>(router) + first * kRow;
    int second = smaller(1, Experts - 1 - first);
    float sums[kRouterRows] = {};
    if constexpr (D % (Format::kRun * kWaveSize) == 0) {
#pragma unroll kUnrolled
      for (int run = 0; run < kRuns; ++run) {
        float values[Format::kRun];
        U32 own = run * kWaveSize + lane();
        load<alignmentOf(4 * D)>(values, x, own * sizeof(values));
#pragma unroll
        for (int i = 0; i < kRouterRows; ++i)
          sums[i] += Format{}.template dot<alignmentOf(kRow)>(weights + i * second * kRow, 0, own, values);
      }
    } else {
#pragma unroll
      for (int i = 0; i < kRouterRows; ++i)
        sums[i] = partialDot<D, kWaveSize>(Format{}, weights, i * second * kRow, x, lane());
    }
    mergeLanes<kWaveSize>(sums, [](float a, float b) { return a + b; });
    if (lane() < kRouterRows && first + lane() < Experts)
      logits[first + lane()] = sums[0];
  }
  return arrivesLast(static_cast<U32 *>(scratch) + tokenIndex(), kRouterBlocks<Experts, Waves>) && wave() == 0;
}

// The shared expert's rows of one token a workgroup.
template <typename Rows, int WaveRows, int Waves, int N, int D> struct SharedRows {
  static constexpr int kWaves = Waves;
  DS4_DEVICE void run(const Step *, int block, float limit, const float *x, const void *gate, const void *up, float *hs) {
    gatedRows<Rows, WaveRows, Waves>(block, limit, x + tokenIndex() * D, matrixOf<Rows>(gate), matrixOf<Rows>(up),
                                     hs + tokenIndex() * N);
  }
};
// Of several tokens.
template <typename Rows, int WaveTiles, int Waves, int N, int D> struct SharedColumns {
  static constexpr int kWaves = Waves;
  DS4_DEVICE void run(const Step *step, int block, float limit, const float *x, const void *gate, const void *up, float *hs) {
    int first = tokenIndex() * Rows::kMost;
    if (first >= step->q)
      return;
    gatedColumns<Rows, WaveTiles, Waves>(block, limit, x + first * D, {0, smaller(step->q - first, Rows::kMost)},
                                         matrixOf<Rows>(gate), matrixOf<Rows>(up),
                                         [&](int column, int row, float value) { hs[(first + column) * N + row] = value; });
  }
};

template <typename Format, typename Bias, int Experts, int Used, int D, typename Shared>
DS4_DEVICE void moeRoute(const Step *step, float scale, float limit, const float *x, const void *router, const void *gate,
                         const void *up, const void *bias, int *ids, float *weights, float *hs, void *scratch) {
  constexpr int kFirst = kRouterBlocks<Experts, Shared::kWaves>;
  if (blockX() >= kFirst)
    Shared::run(step, blockX() - kFirst, limit, x, gate, up, hs);
  else if (routeRows<Format, Experts, D, Shared::kWaves>(x + tokenIndex() * D, router,
                                                         routerLogits(scratch) + tokenIndex() * Experts, scratch))
    ds4::router<Bias, Experts, Used>(scale, routerLogits(scratch), bias, ids, weights);
}

template <typename Format, int Experts, int Used, int D, typename Shared>
DS4_DEVICE void moeRouteHashed(const Step *step, float scale, float limit, const float *x, const void *router, const void *gate,
                               const void *up, const int *table, int *ids, float *weights, float *hs, void *scratch) {
  constexpr int kFirst = kRouterBlocks<Experts, Shared::kWaves>;
  if (blockX() >= kFirst)
    Shared::run(step, blockX() - kFirst, limit, x, gate, up, hs);
  else if (routeRows<Format, Experts, D, Shared::kWaves>(x + tokenIndex() * D, router,
                                                         routerLogits(scratch) + tokenIndex() * Experts, scratch))
    hashRouter<Experts, Used>(step, scale, routerLogits(scratch), table, ids, weights);
}

} // namespace ds4
