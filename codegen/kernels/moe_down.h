// moe_down: h [T, U, K], ids [T, U], weights [T, U], down [E, N, K], hs [T, Ks], shared [N, Ks] -> y [T, N]:
// weights[0] * down[ids[0]] h[0] + weights[1] * down[ids[1]] h[1] + ... + shared hs, added up in this order, a row in one
// register. Slots of weight 0, and those whose id is outside 0..E-1, are left out. Workgroup (i, t): Waves * WaveRows rows.
//
// moeDownShared, for steps of several tokens: workgroup i makes those rows of all tokens, expert by expert, the slots of one up to
// four at a time. Products wait in LDS until they can be added up in the order of the slots.
#pragma once

#include "expert_columns.h"
#include "slot_products.h"

namespace ds4 {

template <typename Routed, typename Shared, int WaveRows, int Waves, int Used, bool Quads = Routed::kQuads || Shared::kQuads>
struct DownLds {
  alignas(16) Byte routedInputs[Routed::kInputBytes];
  alignas(16) Byte sharedInputs[Shared::kInputBytes];
  alignas(16) Byte staging[Waves][larger(Routed::kStagingBytes, Shared::kStagingBytes)];
  float products[Waves][WaveRows]; // of the shared expert, whose rows may be in other lanes
};
template <typename Routed, typename Shared, int WaveRows, int Waves, int Used>
struct DownLds<Routed, Shared, WaveRows, Waves, Used, true> {
  using Common = SlotProducts<Shared, 1, WaveRows, Waves, kQuadLds / 2>; // leaves the experts half
  using Experts = SlotProducts<Routed, Used, WaveRows, Waves, sizeof(typename Common::Lds)>;
  typename Experts::Lds routed;
  typename Common::Lds shared;
  float weights[Used];
};

// Products of the workgroup's rows to LDS, then a row in one thread, in the order in which the other kernel adds. Ids and weights
// are there before the launch that makes h begins: so weights are on their way while it ends.
template <typename Routed, typename Shared, int WaveRows, int Waves, int Experts, int Used, int N, int K, int SharedK>
DS4_DEVICE void moeDownByQuads(const float *h, const int *ids, const float *weights, const void *down, const float *hs,
                               const void *shared, float *y) {
  using Lds = DownLds<Routed, Shared, WaveRows, Waves, Used>; // DS4_LDS_OF refuses what is too large
  auto &lds = workgroupLds<Lds>();
  const int token = tokenIndex(), first = blockX() * (Waves * WaveRows), slot = threadIndex();
  typename Lds::Experts routed(lds.routed, first);
  typename Lds::Common common(lds.shared, first);
  int expert = 0;
  if (slot < Used) {
    const int id = readEarlier(ids + token * Used + slot);
    const float weight = readEarlier(weights + token * Used + slot);
    lds.weights[slot] = weight;
    const bool known = id >= 0 && id < Experts && weight != 0;
    expert = known ? id : 0;
    routed.choose(slot, known ? static_cast<const Byte *>(down) + expert * Routed::kMatrixBytes : nullptr);
  } else if (slot == kWaveSize) {
    common.choose(0, static_cast<const Byte *>(shared));
  }
  barrier();
  routed.begin();
  common.begin();
  if (slot < Used)
    routed.chooseReader(slot, matrixOf<Routed>(down, Experts, expert).reader);
  else if (slot == kWaveSize)
    common.chooseReader(0, matrixOf<Shared>(shared).reader);
  awaitPrevious();
  routed.take(h + token * Used * K);
  common.take(hs + token * SharedK);
  barrier();
  routed.template convert<false>([&] {
    common.template convert<true>([&] {
      routed.beginRest();
      common.beginRest();
    });
  });
  barrier();
  routed.multiply();
  common.multiply();
  barrier();
  if (const int row = threadIndex(); row < Waves * WaveRows && first + row < N) {
    float sum = 0;
#pragma unroll
    for (int i = 0; i < Used; ++i)
      if (routed.isUsed(i))
        sum = fma(lds.weights[i], routed.total(i, row), sum);
    y[token * N + first + row] = sum + common.total(0, row);
  }
}

template <typename Routed, typename Shared, int WaveRows, int Waves, int Experts, int Used, int N, int K, int SharedK>
DS4_DEVICE void moeDownByWaves(const float *h, const int *ids, const float *weights, const void *down, const float *hs,
                               const void *shared, float *y) {
  static_assert(WaveRows % Routed::kGroupRows == 0 && WaveRows % Shared::kGroupRows == 0);
  awaitPrevious();
  auto &lds = workgroupLds<DownLds<Routed, Shared, WaveRows, Waves, Used>>();
  int token = tokenIndex();
  Routed routed(lds.routedInputs, lds.staging[wave()]);
  Shared common(lds.sharedInputs, lds.staging[wave()]);
  routed.begin(h + token * Used * K);
  common.begin(hs + token * SharedK);
  if constexpr (Routed::kConverts || Shared::kConverts)
    barrier();
  routed.convert();
  common.convert();
  if constexpr (Routed::kConverts || Shared::kConverts)
    barrier();

  int begin = (blockX() * Waves + wave()) * WaveRows;
#pragma unroll 1
  for (int first = begin; first < begin + WaveRows; first += Shared::kGroupRows) {
    float product = common.multiply(matrixOf<Shared>(shared), first, 0);
    if (int row = Shared::rowOf(first); row >= 0)
      lds.products[wave()][row - begin] = product;
  }
  waveBarrier();
#pragma unroll 1
  for (int first = begin; first < begin + WaveRows; first += Routed::kGroupRows) {
    float sum = 0;
#pragma unroll 1
    for (int slot = 0; slot < Used; ++slot) {
      int expert = uniform(ids[token * Used + slot]);
      float weight = weights[token * Used + slot];
      if (expert >= 0 && expert < Experts && weight != 0)
        sum = fma(weight, routed.multiply(matrixOf<Routed>(down, Experts, expert), first, slot), sum);
    }
    if (int row = Routed::rowOf(first); row >= 0)
      y[token * N + row] = sum + lds.products[wave()][row - begin];
  }
}

template <typename Routed, typename Shared, int WaveRows, int Waves, int Experts, int Used, int N, int K, int SharedK>
DS4_DEVICE void moeDown(const float *h, const int *ids, const float *weights, const void *down, const float *hs, const void *shared,
                        float *y) {
  if constexpr (Routed::kQuads || Shared::kQuads)
    moeDownByQuads<Routed, Shared, WaveRows, Waves, Experts, Used, N, K, SharedK>(h, ids, weights, down, hs, shared, y);
  else
    moeDownByWaves<Routed, Shared, WaveRows, Waves, Experts, Used, N, K, SharedK>(h, ids, weights, down, hs, shared, y);
}

template <typename Routed, typename Shared, int WaveRows, int Waves, int Used> struct DownColumnsLds {
  alignas(16) Byte inputs[larger(Routed::kInputBytes, Shared::kInputBytes)];
  alignas(16) Byte staging[Waves][larger(Routed::kStagingBytes, Shared::kStagingBytes)];
  float largest[Waves * larger(Routed::kMost, Shared::kMost)];
  float products[Waves][kMaxWidth * Used][WaveRows], common[Waves][kMaxWidth][WaveRows]; // of the slots, of the shared expert
};

// Products of up to Rows::kMost inputs with the WaveRows rows of this wave; `keep` gets column, row of the wave and value.
template <typename Rows, int WaveRows, int Waves, typename Lds, typename Keep>
DS4_DEVICE void downColumns(Lds &lds, const float *h, ColumnSlots columns, const Matrix<Rows> &matrix, Keep keep) {
  constexpr int kTileRows = Rows::kGroupRows / Rows::kTiles;
  static_assert(WaveRows % Rows::kGroupRows == 0);
  withColumns<Rows::kMost>(columns.count, [&](auto width) {
    constexpr int kColumns = decltype(width)::kCount;
    const auto product = Rows::template begin<kColumns>(lds.inputs, lds.staging[wave()], lds.largest, h, columns);
    int begin = (blockX() * Waves + wave()) * WaveRows;
#pragma unroll 1
    for (int first = begin; first < begin + WaveRows; first += Rows::kGroupRows) {
      float totals[Rows::kTiles * kColumns];
      Rows::template multiply<kColumns>(totals, product, matrix, first / kTileRows);
      Rows::template forResults<kColumns>(columns.count, first / kTileRows,
                                          [&](int column, int row, int i) { keep(column, row - begin, totals[i]); });
    }
  });
  barrier(); // the inputs of the next ones take the same place
}

template <typename Routed, typename Shared, int WaveRows, int Waves, int Experts, int Used, int N, int K, int SharedK>
DS4_DEVICE void moeDownShared(const Step *step, const float *h, const int *ids, const float *weights, const void *down,
                              const float *hs, const void *shared, float *y) {
  auto &lds = workgroupLds<DownColumnsLds<Routed, Shared, WaveRows, Waves, Used>>();
  static_assert(sizeof(lds) + larger(Routed::Reader::kTableBytes, Shared::Reader::kTableBytes) <= 65536);
  int q = step->q;
#pragma unroll 1
  for (int first = 0; first < q; first += Shared::kMost)
    downColumns<Shared, WaveRows, Waves>(
        lds, hs + first * SharedK, {0, smaller(q - first, Shared::kMost)}, matrixOf<Shared>(shared),
        [&](int column, int row, float value) { lds.common[wave()][first + column][row] = value; });

  const ExpertSlots<Experts, Used> slots(ids, weights, q * Used);
  const auto used = slots.used();
  auto left = used;
#pragma unroll 1
  while (left.any()) {
    auto next = left;
    const int expert = slots.expertOf(next.takeFirst());
    auto chosen = slots.slotsOf(expert);
#pragma unroll
    for (int w = 0; w < slots.kWords; ++w)
      left.words[w] &= ~chosen.words[w];
    const auto matrix = matrixOf<Routed>(down, Experts, expert);
#pragma unroll 1
    while (chosen.any()) {
      const ColumnSlots taken = takeColumns<Routed::kMost>(chosen);
      downColumns<Routed, WaveRows, Waves>(
          lds, h, taken, matrix, [&](int column, int row, float value) { lds.products[wave()][taken.of(column)][row] = value; });
    }
  }

  int begin = (blockX() * Waves + wave()) * WaveRows;
#pragma unroll 1
  for (int i = lane(); i < q * WaveRows; i += kWaveSize) {
    int token = i / WaveRows, row = i % WaveRows;
    if (begin + row >= N)
      continue;
    float sum = 0;
#pragma unroll
    for (int u = 0; u < Used; ++u) {
      int slot = token * Used + u;
      if (used.has(slot))
        sum = fma(weights[slot], lds.products[wave()][slot][row], sum);
    }
    y[token * N + begin + row] = sum + lds.common[wave()][token][row];
  }
}

} // namespace ds4
