// moe_route: x [T, D], router [E, D], shared gate and up [N, D], bias [E] or table [V, U] -> ids [T, U], weights [T, U],
// hs [T, N]: the experts of each token, and the hidden activations of the shared expert.
//
// The first workgroups of the grid are the router's, Rows rows a wave; the one of them that arrives last chooses the experts,
// while the shared expert's workgroups behind them still read their weights. Scratch: a counter a token, then scores and keys [T,
// 2, E] (router.h), which the rows' waves make.
//
// The shared expert's workgroups of token t take that token, or tokens t * Columns on, up to Columns of them (SharedColumns).
#pragma once

#include "expert_columns.h"
#include "gated_rows.h"
#include "hand_over.h"
#include "hash_router.h"
#include "router.h"

namespace ds4 {

// Of workgroups with Rows rows a wave, which share the loads of x.
template <int Experts, int Waves, int Rows> inline constexpr int kRouterBlocks = (Experts + Waves * Rows - 1) / (Waves * Rows);

// Of this wave.
template <int Waves, int Rows> DS4_DEVICE int firstRouterRow() { return (blockX() * Waves + wave()) * Rows; }

// What a token's experts are chosen by, in scratch: scores, and keys where there is a bias.
template <int Experts> struct RouterScores {
  float *scores;
  U32 *keys;
  DS4_DEVICE_METHOD explicit RouterScores(void *scratch) {
    scores = reinterpret_cast<float *>(static_cast<Byte *>(scratch) + kScratchCounterBytes) + tokenIndex() * (2 * Experts);
    keys = reinterpret_cast<U32 *>(scores + Experts);
  }
};

// The experts of this wave's rows to scratch; `keep` gets an expert, in the lane of its row, and its score. True in the first wave
// of the workgroup that completes a token's.
template <typename Format, int Experts, int D, int Rows, int Waves, typename Keep>
DS4_DEVICE bool routeRows(const float *x, const void *router, void *scratch, Keep keep) {
  constexpr int kRow = kRowBytes<Format, D>;
  const int first = firstRouterRow<Waves, Rows>();
  if (first < Experts)
    prefetchAll(static_cast<const Byte *>(router) + first * kRow, smaller(Rows, Experts - first) * kRow);
  awaitPrevious();
  if (first < Experts) {
    const Byte *weights = static_cast<const Byte *>(router) + first * kRow;
    int second = smaller(1, Experts - 1 - first);
    float sums[Rows] = {};
    partialDots<D>(sums, Format{}, weights, second * kRow, x);
    mergeLanes<kWaveSize>(sums, [](float a, float b) { return a + b; });
    if (lane() < Rows && first + lane() < Experts)
      keep(first + lane(), expertScore(sums[0]));
  }
  return arrivesLast(static_cast<U32 *>(scratch) + tokenIndex(), kRouterBlocks<Experts, Waves, Rows>) && wave() == 0;
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

template <typename Format, typename Bias, int Experts, int Used, int D, int Rows, typename Shared>
DS4_DEVICE void moeRoute(const Step *step, float scale, float limit, const float *x, const void *router, const void *gate,
                         const void *up, const void *bias, int *ids, float *weights, float *hs, void *scratch) {
  constexpr int kFirst = kRouterBlocks<Experts, Shared::kWaves, Rows>;
  if (blockX() >= kFirst)
    return Shared::run(step, blockX() - kFirst, limit, x, gate, up, hs);
  const RouterScores<Experts> kept(scratch);
  const float ownBias = Bias::at(bias, smaller(firstRouterRow<Shared::kWaves, Rows>() + lane() % Rows, Experts - 1));
  const auto keep = [&](int expert, float score) {
    kept.scores[expert] = score;
    kept.keys[expert] = choiceKey(score, ownBias);
  };
  const int first = tokenIndex() * Used;
  if (routeRows<Format, Experts, D, Rows, Shared::kWaves>(x + tokenIndex() * D, router, scratch, keep))
    chooseExperts<Experts, Used>(scale, ids + first, weights + first, [&](int expert, float &score, U32 &key) {
      score = kept.scores[expert];
      key = kept.keys[expert];
    });
}

template <typename Format, int Experts, int Used, int D, int Rows, typename Shared>
DS4_DEVICE void moeRouteHashed(const Step *step, float scale, float limit, const float *x, const void *router, const void *gate,
                               const void *up, const int *table, int *ids, float *weights, float *hs, void *scratch) {
  constexpr int kFirst = kRouterBlocks<Experts, Shared::kWaves, Rows>;
  if (blockX() >= kFirst)
    return Shared::run(step, blockX() - kFirst, limit, x, gate, up, hs);
  const RouterScores<Experts> kept(scratch);
  if (routeRows<Format, Experts, D, Rows, Shared::kWaves>(x + tokenIndex() * D, router, scratch,
                                                          [&](int expert, float score) { kept.scores[expert] = score; }))
    takeExperts<Experts, Used>(step, step->token, scale, table, ids, weights, [&](int expert) { return kept.scores[expert]; });
}

} // namespace ds4
