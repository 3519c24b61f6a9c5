// masked_attention (masked_attention.h) with a cluster of workgroups for a token and group of heads: their sums meet in LDS instead
// of in memory, and all of them finish a share. For targets that have clusters (wave_cuda.h), heads of 512 channels.
//
// A run is 64 channels of a head, those of one wave; run r belongs to workgroup r % Parts of the cluster. First the workgroups tell
// each other the greatest score and the sum of weights of each head, so that each knows the factor of its sums; then they hand the
// scaled runs to their owners, which add them up in the order of the parts and turn them back.
#pragma once

#include "masked_attention.h"

namespace ds4 {

template <typename Plan> struct AttentionExchange {
  static constexpr int kRuns = kTile * Plan::kWaves, kOwn = (kRuns + Plan::kParts - 1) / Plan::kParts; // of a workgroup
  float greatest[Plan::kParts][kTile], weights[Plan::kParts][kTile];
  // Scaled runs [own run][part][64 channels], where rows were before.
  static constexpr int kRunsBytes = kOwn * Plan::kParts * kWaveChannels * 4;
  static_assert(kRunsBytes <= static_cast<int>(sizeof(AttentionMemory<Plan>::slices)));
};

template <typename Plan> struct ClusterAttention {
  static_assert(Plan::kWidth == 512 && Plan::kTiles == 1 && Plan::kPairs == 1 && Plan::kParts <= kTile);
  using Exchange = AttentionExchange<Plan>;
  Exchange &exchange;
  int position, firstHead;
  const float *frequencies;
  float sink; // of head lane() % 16, in units of log2
  float *y;   // of the token

  DS4_DEVICE_METHOD void finish(TileSum (&sum)[1][4], const HeadWeights<Plan> (&heads)[1], AttentionMemory<Plan> &memory,
                                int part) const {
    constexpr int kParts = Plan::kParts;
    const int l = lane() % 16, group = lane() / 4, quad = lane() % 4;
    const float weight = sumLanes<16>(heads[0].sum[0]);
    const int head = 2 * wave() + lane() / 16;
    awaitCluster(); // all workgroups are there
    if (l < kParts) {
      storeInCluster(&exchange.greatest[part][head], l, heads[0].greatest[0]);
      storeInCluster(&exchange.weights[part][head], l, weight);
    }
    arriveInCluster();
    awaitCluster(); // nobody reads rows any more

    float greatest = sink;
#pragma unroll
    for (int p = 0; p < kParts; ++p)
      greatest = maximum(greatest, exchange.greatest[p][l]);
    float total = exp2(sink - greatest) * kWeightFactor;
#pragma unroll
    for (int p = 0; p < kParts; ++p)
      total = fma(exp2(exchange.greatest[p][l] - greatest), exchange.weights[p][l], total);
    const float factor = exp2(exchange.greatest[part][l] - greatest) * reciprocal(total);
    float *runs = reinterpret_cast<float *>(memory.slices);
    // Lane 4 g + t has heads g and g + 8 of the channels 4 n .. 4 n + 3 of its wave's, n = 2 t, 2 t + 1, and 8 further on
    // (tile_cuda.h).
#pragma unroll
    for (int upper = 0; upper < 2; ++upper) {
      const int row = group + 8 * upper, run = row * Plan::kWaves + wave();
      const float own = floatOf(readLane(bitsOf(factor), row));
      float *to = runs + (run / kParts * kParts + part) * kWaveChannels;
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        const int value = k / 2 * 4 + upper * 2 + k % 2, n = 2 * quad + k % 2 + k / 2 * 8;
        const float scaled[4] = {sum[0][0].values[value] * own, sum[0][1].values[value] * own, sum[0][2].values[value] * own,
                                 sum[0][3].values[value] * own};
        storeInCluster(to + 4 * n, run % kParts, scaled);
      }
    }
    arriveInCluster();
    // A wave finishes two runs at a time.
    constexpr int kPasses = (Exchange::kOwn + 2 * Plan::kWaves - 1) / (2 * Plan::kWaves);
    typename Plan::Back backs[kPasses];
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass)
      backs[pass].find(runOf(pass, part) % Plan::kWaves * kWaveChannels + 4 * l, position, frequencies);
    awaitCluster();
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) {
      const int run = runOf(pass, part), row = run / Plan::kWaves;
      if (run >= Exchange::kRuns || (Plan::kHeads % kTile != 0 && firstHead + row >= Plan::kHeads))
        continue;
      const float *from = runs + run / kParts * (kParts * kWaveChannels) + 4 * l;
      float made[4] = {};
#pragma unroll
      for (int p = 0; p < kParts; ++p) {
        float scaled[4];
        load<16>(scaled, from, p * kWaveChannels * 4);
#pragma unroll
        for (int i = 0; i < 4; ++i)
          made[i] += scaled[i];
      }
      backs[pass].turn(made);
      store<16>(y + (firstHead + row) * Plan::kWidth + run % Plan::kWaves * kWaveChannels, l * 16, made);
    }
  }

private:
  DS4_DEVICE_METHOD static int runOf(int pass, int part) {
    return ((pass * Plan::kWaves + wave()) * 2 + lane() / 16) * Plan::kParts + part;
  }
};

// Workgroup (part, token, group of heads). Parts that have no rows take part in the exchange.
template <typename Plan, typename Sink>
DS4_DEVICE void clusterAttention(const Step *step, const float *frequencies, float scale, const float *q, const void *window,
                                 const void *sinks, const void *rows, const int *picks, float *y) {
  constexpr float kLog2E = 1.44269504f;
  arriveInCluster();
  const int part = blockX(), token = tokenIndex(), position = step->pos + token, firstHead = blockZ() * kTile;
  const CandidateRows<Plan> candidates(position, picks + token * Plan::kPicks);
  DS4_SHARED AttentionMemory<Plan> memory;
  const ClusterAttention<Plan> cluster{workgroupLds<AttentionExchange<Plan>>(),
                                       position,
                                       firstHead,
                                       frequencies,
                                       Sink::at(sinks, smaller(firstHead + lane() % 16, Plan::kHeads - 1)) * kLog2E,
                                       y + token * Plan::kHeads * Plan::kWidth};
  awaitPrevious();
  if (part < candidates.blocks) {
    attendPart<Plan>(memory, candidates, scale * kLog2E / kQueryFactor, q + token * Plan::kHeads * Plan::kWidth, firstHead, window,
                     rows, part, cluster);
  } else {
    TileSum none[1][4];
    const HeadWeights<Plan> unseen[1];
    cluster.finish(none, unseen, memory, part);
  }
}

} // namespace ds4
