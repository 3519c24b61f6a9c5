// select_top_k: scores [T, R], rows `capacity` apart -> ids [T, K], ascending, padded with -1.
//
// All visible rows when there are at most K. Else the K of greatest score, the lower id first among equals; NaN counts as
// minus infinity. A workgroup takes Waves * Runs * 128 rows. More are cut into such chunks, a workgroup each, which leave their
// own K best in scratch, in order; the one that arrives last of a token's takes the K best of those. Scratch, when Chunks is
// more than 1: a counter a token, then [T, Chunks, K] ranks and as many ids.
//
// selectTopKInTurn, for any number of tokens, has no scratch: a token's workgroup takes the chunks one after another and keeps the
// K best so far in LDS.
#pragma once

#include "hand_over.h"
#include "step.h"
#include "top_rows.h"

namespace ds4 {

template <int K, int Ratio, int Capacity, int Waves, int Runs, int Chunks>
DS4_DEVICE void selectTopK(const Step *step, const float *scores, int *ids, void *scratch, Workgroup workgroup) {
  constexpr int kThreads = Waves * kWaveSize, kChunkRows = Waves * Runs * kRunRows;
  DS4_SHARED TopRowsMemory memory;
  int token = workgroup.token, visible = (step->pos + token + 1) / Ratio;
  const float *row = scores + static_cast<long long>(token) * Capacity;
  int *out = ids + token * K;
  int chunks = Chunks == 1 ? 1 : larger(1, (visible + kChunkRows - 1) / kChunkRows);
  if (workgroup.x >= chunks)
    return;
  if (visible <= K) {
    for (int i = threadIndex(); i < K; i += kThreads)
      out[i] = i < visible ? i : -1;
    return;
  }
  if (chunks == 1) {
    emitTopRows<K, Waves, Runs, ScoreRank>(row, visible, memory, [&](int place, int id, U32) { out[place] = id; });
    return;
  }
  if constexpr (Chunks > 1) {
    U32 *counters = static_cast<U32 *>(scratch), *ranks = counters + kScratchCounters + token * Chunks * K,
        *own = ranks + workgroup.x * K;
    int *rows = reinterpret_cast<int *>(ranks + kMaxWidth * Chunks * K), first = workgroup.x * kChunkRows;
    int count = smaller(visible - first, kChunkRows);
    auto emit = [&](int place, int id, U32 rank) {
      own[place] = rank;
      rows[workgroup.x * K + place] = first + id;
    };
    if (count > K) {
      emitTopRows<K, Waves, Runs, ScoreRank>(row + first, count, memory, emit);
    } else {
      for (int i = threadIndex(); i < K; i += kThreads)
        emit(i, i, i < count ? ScoreRank::of(bitsOf(row[first + i])) : kNoRank);
    }
    if (!arrivesLast(counters + token, chunks))
      return;
    constexpr int kRuns = (Chunks * K + Waves * kRunRows - 1) / (Waves * kRunRows);
    emitTopRows<K, Waves, kRuns, PlainRank>(ranks, chunks * K, memory,
                                            [&](int place, int candidate, U32) { out[place] = rows[candidate]; });
  }
}

template <int K> struct BestRows {
  U32 ranks[2 * K]; // of the K best so far, then of the next chunk's
  int rows[2 * K];
};

template <int K, int Ratio, int Capacity, int Waves, int Runs>
DS4_DEVICE void selectTopKInTurn(const Step *step, const float *scores, int *ids) {
  constexpr int kThreads = Waves * kWaveSize, kChunkRows = Waves * Runs * kRunRows;
  static_assert(2 * K <= kChunkRows);
  DS4_SHARED TopRowsMemory memory;
  DS4_SHARED BestRows<K> best[2]; // one is read while the other is written
  const int token = tokenIndex(), visible = (step->pos + token + 1) / Ratio;
  const float *row = scores + static_cast<long long>(token) * Capacity;
  int *out = ids + static_cast<long long>(token) * K;
  if (visible <= K) {
    for (int i = threadIndex(); i < K; i += kThreads)
      out[i] = i < visible ? i : -1;
    return;
  }
  int turn = 0;
#pragma unroll 1
  for (int first = 0; first < visible; first += kChunkRows) {
    const int count = smaller(visible - first, kChunkRows), place = first ? K : 0;
    const auto keep = [&](int at, int id, U32 rank) {
      best[turn].ranks[place + at] = rank;
      best[turn].rows[place + at] = first + id;
    };
    if (count > K) {
      emitTopRows<K, Waves, Runs, ScoreRank>(row + first, count, memory, keep);
    } else {
      for (int i = threadIndex(); i < K; i += kThreads)
        keep(i, i, i < count ? ScoreRank::of(bitsOf(row[first + i])) : kNoRank);
    }
    barrier();
    if (!first)
      continue;
    // In the order of rows, as they stand: of equal ranks the lower row is taken.
    const BestRows<K> &both = best[turn];
    emitTopRows<K, Waves, (2 * K + Waves * kRunRows - 1) / (Waves * kRunRows), PlainRank>(
        both.ranks, 2 * K, memory, [&](int at, int candidate, U32 rank) {
          best[1 - turn].ranks[at] = rank;
          best[1 - turn].rows[at] = both.rows[candidate];
        });
    turn = 1 - turn;
    barrier();
  }
  for (int i = threadIndex(); i < K; i += kThreads)
    out[i] = best[turn].rows[i];
}

} // namespace ds4
