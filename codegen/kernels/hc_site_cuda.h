// hc_site (hc_site.h) by a cluster of workgroups, which meet and write to each other's LDS: no sum goes through memory, and all of
// them make x. For targets that have clusters (wave_cuda.h).
//
// A team of four waves has 128 channels: wave k makes stream k of them, keeps it in memory and in LDS, and multiplies it with all
// 24 rows of fn. A workgroup is Teams teams and one wave more, which in the first workgroup makes comb and post while the others
// make x. Weights, and the streams of before, are asked for while the launch before ends: it writes y alone. Meanwhile the last
// wave makes the Due iterations that comb lacks; so many others are left to the next site: else the next launch would wait for
// them.
//
// Slots are those of hc_site.h, but 24, which is the squares of a wave's stream; lane = slot.
#pragma once

#include "hc_site.h"

namespace ds4 {

inline constexpr int kClusterChannels = 128; // of a team

template <typename Fn, typename Base, typename Scale, typename Norm, int Width, int Workgroups, int Teams, bool Writes, int Due>
DS4_DEVICE void hcSiteByCluster(int iterations, HcSiteOptions options, HcSiteInput in, HcSiteWeights weights, HcSiteOutput out) {
  constexpr int kWaves = Teams * kSiteStreams, kRows = 24, kChannels = Teams * kClusterChannels; // of a workgroup
  static_assert(Workgroups * kChannels == Width && Workgroups <= kWaves + 1 && Workgroups <= kWaveSize);
  alignas(16) DS4_SHARED float columns[kSiteStreams][kChannels];
  DS4_SHARED float combs[kSiteStreams * kSiteStreams], ofWaves[kWaves][kSiteSlots], ofWorkgroups[Workgroups][kSiteSlots],
      squares[Workgroups * kWaves];
  arriveInCluster(); // before another workgroup's LDS is written, it has to be there

  const U32 token = tokenIndex(), l = lane(), k = static_cast<U32>(wave()) % kSiteStreams;
  const U32 own = static_cast<U32>(wave()) / kSiteStreams * kClusterChannels + 4 * l; // this lane's first channel in the workgroup
  const U32 first = static_cast<U32>(blockX() * kChannels), channel = first + own, thread = static_cast<U32>(threadIndex());
  const bool multiplies = wave() < kWaves;
  U32 w[kRows][Fn::kElementBytes];
  float made[4] = {}, before[kSiteStreams][4], post = 1, norm = 0;
  if (multiplies) {
#pragma unroll
    for (int slot = 0; slot < kRows; ++slot)
      load<4 * Fn::kElementBytes>(w[slot], weights.fn,
                                  ((rowOfSlot(slot) * kSiteStreams + k) * Width + channel) * Fn::kElementBytes);
    norm = Norm::at(weights.norm, first + thread);
    if constexpr (Writes) {
      post = readEarlier(in.post + token * kSiteStreams + k);
#pragma unroll
      for (U32 j = 0; j < kSiteStreams; ++j)
        readEarlier(before[j], in.streams + (token * kSiteStreams + j) * Width + channel);
    }
  } else if (Writes && l < kSiteStreams * kSiteStreams) {
    combs[l] = furtherRounds(Due, options.hcEps, readEarlier(in.comb + token * (kSiteStreams * kSiteStreams) + l));
  }
  const float scale = Scale::at(weights.scale, l < 16 ? 2 : l < 20 ? 0 : 1);
  const float base = Base::at(weights.base, l < 16 ? 8 + l : l < 24 ? l - 16 : 0);
  if constexpr (Writes) {
    barrier();
    if (multiplies)
#pragma unroll
      for (U32 j = 0; j < kSiteStreams; ++j)
#pragma unroll
        for (int e = 0; e < 4; ++e)
          made[e] = fma(combs[j * kSiteStreams + k], before[j][e], made[e]);
  }
  keepOrder();
  awaitPrevious();

  if (multiplies) {
    if constexpr (Writes) {
      float y[4];
      load<16>(y, in.y, (token * Width + channel) * 4);
#pragma unroll
      for (int e = 0; e < 4; ++e)
        made[e] = fma(post, y[e], made[e]);
    } else {
      load<16>(made, in.streams, ((token * kSiteStreams + k) * Width + channel) * 4);
    }
    store<16>(out.streams, ((token * kSiteStreams + k) * Width + channel) * 4, made);
    store<16>(columns[k], own * 4, made);
    float sums[kSiteSlots] = {};
#pragma unroll
    for (int slot = 0; slot < kRows; ++slot) {
      float row[4];
      Fn::template read<16>(row, w[slot], 0);
#pragma unroll
      for (int e = 0; e < 4; ++e)
        sums[slot] = fma(row[e], made[e], sums[slot]);
    }
#pragma unroll
    for (int e = 0; e < 4; ++e)
      sums[kRows] = fma(made[e], made[e], sums[kRows]);
    halve<16, 32>(sums);
    halve<8, 16>(sums);
    halve<4, 8>(sums);
    halve<2, 4>(sums);
    halve<1, 2>(sums);
    ofWaves[wave()][l] = sums[0];
  }
  awaitCluster();
  barrier();
  if (wave() < Workgroups)
    storeInCluster(&ofWorkgroups[blockX()][l], wave(), sumOfWaves(ofWaves));
  arriveInCluster();
  awaitCluster();

  float c = sumOfWaves(ofWorkgroups);
  const float mean = readLane(c, kRows) * (1.0f / (kSiteStreams * Width));
  c = fma(c * inverseSqrt(mean + options.eps), scale, base);
  const float gate = sigmoid(c);
  if (!multiplies) {
    arriveInCluster();
    if (blockX() == 0)
      storeMix(iterations, options.hcEps, c, gate, token, out);
    awaitCluster(); // none leaves while another one writes to its LDS
    return;
  }
  float x = 0;
#pragma unroll
  for (int j = 0; j < kSiteStreams; ++j)
    x = fma(readLane(gate, 16 + j) + options.hcEps, columns[j][thread], x);
  const float square = sumLanes(x * x);
  if (l < Workgroups)
    storeInCluster(&squares[blockX() * kWaves + wave()], static_cast<int>(l), square);
  arriveInCluster();
  awaitCluster();
  float sum = 0;
#pragma unroll
  for (int i = 0; i < Workgroups * kWaves; i += kWaveSize)
    if (Workgroups * kWaves % kWaveSize == 0 || i + static_cast<int>(l) < Workgroups * kWaves)
      sum += squares[i + l];
  const float factor = inverseSqrt(fma(sumLanes(sum), 1.0f / Width, options.normEps));
  out.x[token * Width + first + thread] = x * factor * norm;
}

} // namespace ds4
