// The K rows of least rank, by the waves of one workgroup; of equal ranks the lower row. A rank is 32 bits, smaller is better.
//
// A radix search, digits of 11, 11 and 10 bits over histograms in LDS, finds the rank of the K-th row and stops as soon as a
// whole bin is taken. Then every wave knows from the counts of the waves before it where its own rows go, and emits them in
// order. A wave has runs of 128 rows, a lane four rows of each, in registers for as long as the search lasts; it has as many
// as the number of rows wants, so the cost follows the rows that there are.
#pragma once

#include "wave.h"

namespace ds4 {

inline constexpr int kRunRows = 4 * kWaveSize, kDigits = 3, kDigitBins = 2048, kSearchWaves = 8;
// Of no row. Greater than every rank, and no rank lies in its bin of the first digit.
inline constexpr U32 kNoRank = 0xffffffff;

// The rank of a score: greater scores are better, -0 is 0, NaN counts as minus infinity.
struct ScoreRank {
  DS4_DEVICE_METHOD static U32 of(U32 word) { return ~larger(orderedKey(floatOf(word)), kMinusInfinityKey); }
};
struct PlainRank {
  DS4_DEVICE_METHOD static U32 of(U32 word) { return word; }
};

// The rows of a wave, from `begin` to `end`, at most Runs runs.
template <int Runs, typename Rank> struct HeldRanks {
  int begin, end, runs;
  U32 rank[Runs][4];

  DS4_DEVICE_METHOD HeldRanks(const void *words, int begin, int end)
      : begin(begin), end(end), runs((end - begin + kRunRows - 1) / kRunRows) {
#pragma unroll
    for (int run = 0; run < Runs; ++run)
      if (run < runs)
        read(words, run);
  }
  // The first of this lane's rows of a run.
  DS4_DEVICE_METHOD int rowOf(int run) const { return begin + run * kRunRows + lane() * 4; }
  // Calls work(run, ranks of this lane's rows) for every run.
  template <typename Work> DS4_DEVICE_METHOD void forEach(Work work) const {
#pragma unroll
    for (int run = 0; run < Runs; ++run)
      if (run < runs)
        work(run, rank[run]);
  }
  template <typename Holds> DS4_DEVICE_METHOD int count(Holds holds) const {
    int rows = 0;
    forEach([&](int, const U32(&ranks)[4]) {
#pragma unroll
      for (U32 r : ranks)
        rows += countBits(ballot(holds(r)));
    });
    return rows;
  }

private:
  DS4_DEVICE_METHOD void read(const void *words, int run) {
    int row = rowOf(run);
    U32 word[4] = {};
    if (begin + (run + 1) * kRunRows <= end) {
      load<4>(word, words, row * 4);
#pragma unroll
      for (int i = 0; i < 4; ++i)
        rank[run][i] = Rank::of(word[i]);
    } else {
#pragma unroll
      for (int i = 0; i < 4; ++i)
        rank[run][i] = row + i < end ? Rank::of(static_cast<const U32 *>(words)[row + i]) : kNoRank;
    }
  }
};

// Rows of a rank less than `bound` are taken, and of those of rank `bound` the first `ties`.
struct RankCut {
  U32 bound;
  int ties;
};

struct TopRowsMemory {
  alignas(16) U32 bins[kDigits][kDigitBins];
  int totals[kSearchWaves];
  int found[3]; // bin, wanted of it, rows in it
  int below[kWaveSize], equal[kWaveSize];
};

// The bin of a digit in which the running count reaches `wanted`, for all waves to read. The first waves search.
template <int Bins> DS4_DEVICE void findDigit(TopRowsMemory &memory, const U32 *bins, int wanted) {
  constexpr int kOwn = Bins / (kSearchWaves * kWaveSize);
  int own[kOwn], sum = 0, before = 0;
  if (wave() < kSearchWaves) {
    load<16>(own, bins, threadIndex() * kOwn * 4);
#pragma unroll
    for (int count : own)
      sum += count;
    int total;
    before = sumBelow(sum, total);
    if (lane() == 0)
      memory.totals[wave()] = total;
  }
  barrier();
  if (wave() < kSearchWaves) {
    int slot = lane() % kSearchWaves;
    before += sumLanes<kSearchWaves>(slot < wave() ? memory.totals[slot] : 0);
    if (before < wanted && wanted <= before + sum) {
      int bin = 0, rows = own[0];
#pragma unroll
      for (int i = 1; i < kOwn; ++i)
        if (before + rows < wanted) {
          before += rows;
          rows = own[i];
          bin = i;
        }
      memory.found[0] = threadIndex() * kOwn + bin;
      memory.found[1] = wanted - before;
      memory.found[2] = rows;
    }
  }
  barrier();
}

// Of the rows whose ranks begin with `prefix`, `wanted` are taken; there are more.
template <int Digit = 0, typename Ranks>
DS4_DEVICE RankCut cutRanks(const Ranks &ranks, TopRowsMemory &memory, U32 prefix, int wanted) {
  constexpr int kBits = Digit == 2 ? 10 : 11, kShift = Digit == 0 ? 21 : Digit == 1 ? 10 : 0;
  U32 *bins = memory.bins[Digit];
  ranks.forEach([&](int, const U32(&rank)[4]) {
#pragma unroll
    for (U32 r : rank)
      if (Digit == 0 || r >> (kShift + kBits) % 32 == prefix)
        sharedAdd(bins + (r >> kShift & ((1u << kBits) - 1)), 1u);
  });
  barrier();
  findDigit<1 << kBits>(memory, bins, wanted);
  U32 bin = prefix << kBits | static_cast<U32>(uniform(memory.found[0]));
  wanted = uniform(memory.found[1]);
  if (uniform(memory.found[2]) == wanted)
    return {(bin + 1) << kShift, 0};
  if constexpr (Digit + 1 < kDigits)
    return cutRanks<Digit + 1>(ranks, memory, bin, wanted);
  else
    return {bin, wanted};
}

// How many of the rows before this lane's first one hold, given a lane's four rows; `total` counts all of the run.
DS4_DEVICE int countEarlier(const bool (&holds)[4], int &total) {
  int earlier = 0;
  total = 0;
#pragma unroll
  for (bool held : holds) {
    U32 mask = ballot(held);
    earlier += countBelow(mask);
    total += countBits(mask);
  }
  return earlier;
}

// Calls emit(place, row, rank) for the K best of `rows` rows, more than K; places are 0..K-1 in the order of the rows. Rank
// makes a rank of each of `words`. Waves * Runs * 128 rows at most. `memory` is not in use by another wave.
template <int K, int Waves, int Runs, typename Rank, typename Emit>
DS4_DEVICE void emitTopRows(const void *words, int rows, TopRowsMemory &memory, Emit emit) {
  static_assert(Waves >= kSearchWaves && Waves <= kWaveSize);
  constexpr int kThreads = Waves * kWaveSize;
  int span = (rows + Waves * kRunRows - 1) / (Waves * kRunRows) * kRunRows; // of a wave; the last ones may have fewer
  int begin = smaller(wave() * span, rows);
  HeldRanks<Runs, Rank> ranks(words, begin, smaller(begin + span, rows));
  const U32 zero[2] = {};
  for (int i = threadIndex(); i < kDigits * kDigitBins / 2; i += kThreads)
    store<8>(memory.bins, i * 8, zero);
  barrier();
  RankCut cut = cutRanks(ranks, memory, 0, K);

  int below = ranks.count([&](U32 rank) { return rank < cut.bound; });
  int equal = cut.ties ? ranks.count([&](U32 rank) { return rank == cut.bound; }) : 0;
  if (lane() == 0) {
    memory.below[wave()] = below;
    memory.equal[wave()] = equal;
  }
  barrier();
  bool earlier = lane() < wave();
  int tied = uniform(sumLanes(earlier ? memory.equal[lane()] : 0)); // rows of rank `bound` so far
  int next = uniform(sumLanes(earlier ? memory.below[lane()] : 0)) + smaller(tied, cut.ties);
  bool divided = tied < cut.ties && cut.ties < tied + equal; // of this wave's ties some are taken, some are not
  U32 bound = cut.bound + (cut.ties && tied + equal <= cut.ties ? 1 : 0);
  ranks.forEach([&](int run, const U32(&rank)[4]) {
    bool taken[4];
    int total;
    waveBarrier(); // the lanes that emitted meet the others again
#pragma unroll
    for (int i = 0; i < 4; ++i)
      taken[i] = rank[i] < bound;
    if (divided) {
      const bool ties[4] = {rank[0] == bound, rank[1] == bound, rank[2] == bound, rank[3] == bound};
      int place = tied + countEarlier(ties, total);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        taken[i] = taken[i] || (ties[i] && place < cut.ties);
        place += ties[i] ? 1 : 0;
      }
      tied += total;
    }
    int place = next + countEarlier(taken, total);
    next += total;
#pragma unroll
    for (int i = 0; i < 4; ++i)
      if (taken[i])
        emit(place++, ranks.rowOf(run) + i, rank[i]);
  });
}

} // namespace ds4
