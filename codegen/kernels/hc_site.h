// hc_site: streams [T, 4, D], fn [24, 4 D], base [24], scale [3], norm [D], y [T, D], post [T, 4], comb [T, 4, 4] ->
// X' [T, 4, D], post', comb', x [T, D]: hc_write of y, then hc_coefficients, sinkhorn, hc_read and rms_norm.
//
// Four waves, a team, take 64 channels of all streams; a workgroup is two teams. Wave k of a team makes stream k, keeps
// it in memory and in LDS, then multiplies six rows of fn with the 256 values; the sums go to scratch. The workgroup that
// arrives last of a token's adds them up, makes the coefficients (Sinkhorn in one register a lane) and reads the streams.
// Two teams, because the last step keeps all streams in registers: 80 a lane in eight waves, 160 in four.
//
// A team has 32 sums a token. Slots 0..15 are comb, 16..19 pre, 20..23 post, 24..27 the squares of each stream; lane =
// slot in the last step. Wave k sums slots k, k + 4, .. k + 24. Scratch: a counter a token, then [T, D / 64, 32] sums.
#pragma once

#include "hand_over.h"
#include "row.h"
#include "sinkhorn.h"
#include "step.h"

namespace ds4 {

struct HcSiteOptions {
  float eps, hcEps, normEps;
};
struct HcSiteInput {
  const float *streams, *y, *post, *comb;
};
struct HcSiteWeights {
  const void *fn, *base, *scale, *norm;
};
struct HcSiteOutput {
  float *streams, *post, *comb, *x;
};

inline constexpr int kSiteStreams = 4, kSiteTeams = 2, kSiteWaves = kSiteTeams * kSiteStreams, kSiteSlots = 32, kSiteSums = 8;
inline constexpr int kTeamChannels = 64, kSiteThreads = kSiteWaves * kWaveSize;

// Row of fn whose product is that of a slot.
DS4_DEVICE constexpr int rowOfSlot(int slot) { return (8 + slot) % 24; }

// Lanes with bit Mask keep the upper half of the values, the others the lower half, each summed over that bit.
template <int Mask, int Count> DS4_DEVICE void halve(float *values) {
  bool upper = lane() & Mask;
#pragma unroll
  for (int i = 0; i < Count / 2; ++i) {
    float low = values[i], high = values[i + Count / 2];
    values[i] = (upper ? high : low) + laneXor<Mask>(upper ? low : high);
  }
}

// The channel pair `channel` of stream k. Offsets are in bytes and unsigned: one add, no 64-bit arithmetic.
template <int Width, bool Writes>
DS4_DEVICE void makeStream(const HcSiteInput &in, U32 token, U32 k, U32 channel, float (&made)[2]) {
  U32 own = (token * kSiteStreams * Width + channel) * 4;
  if constexpr (Writes) {
    float y[2], before[kSiteStreams][2], comb[kSiteStreams][1], post[1];
    load<8>(y, in.y, (token * Width + channel) * 4);
    load<4>(post, in.post, (token * kSiteStreams + k) * 4);
#pragma unroll
    for (int j = 0; j < kSiteStreams; ++j) {
      load<8>(before[j], in.streams, own + j * Width * 4);
      load<4>(comb[j], in.comb, ((token * kSiteStreams + j) * kSiteStreams + k) * 4);
    }
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      made[e] = post[0] * y[e];
#pragma unroll
      for (int j = 0; j < kSiteStreams; ++j)
        made[e] = fma(comb[j][0], before[j][e], made[e]);
    }
  } else {
    load<8>(made, in.streams, own + k * Width * 4);
  }
}

// This team's part of X', and its 32 sums, which go to `sums`.
template <typename Fn, int Width, bool Writes>
DS4_DEVICE void sumChannels(const HcSiteInput &in, const void *fn, U32 token, float *streams, float *sums) {
  // A lane has eight weights of a row: channels 8 (l % 8).. of stream l / 8.
  alignas(16) DS4_SHARED float columns[kSiteTeams][kSiteStreams * kTeamChannels];
  U32 own = static_cast<U32>(wave()) / kSiteStreams, k = static_cast<U32>(wave()) % kSiteStreams;
  U32 team = static_cast<U32>(blockX() * kSiteTeams) + own;
  U32 first = team * kTeamChannels, l = lane();
  // The weights depend on nothing: they are asked for first.
  float w[6][8];
  U32 begin = (k * kSiteStreams * Width + l / 8 * Width + l % 8 * 8 + first) * Fn::kElementBytes;
#pragma unroll
  for (int i = 0; i < 6; ++i)
    Fn::template read<16>(w[i], fn, begin + rowOfSlot(4 * i) * kSiteStreams * Width * Fn::kElementBytes);
  keepOrder();
  awaitPrevious();

  float made[2];
  makeStream<Width, Writes>(in, token, k, first + 2 * l, made);
  store<8>(streams, ((token * kSiteStreams + k) * Width + first + 2 * l) * 4, made);
  store<8>(columns, static_cast<U32>(threadIndex() * 8), made);
  barrier();

  float x[8], sum[kSiteSums] = {}, total[1];
  load<16>(x, columns[own], l * 32);
#pragma unroll
  for (int i = 0; i < 6; ++i)
#pragma unroll
    for (int e = 0; e < 8; ++e)
      sum[i] = fma(w[i][e], x[e], sum[i]);
  sum[6] = fma(made[1], made[1], made[0] * made[0]);
  halve<16, 8>(sum);
  halve<8, 4>(sum);
  halve<4, 2>(sum);
  total[0] = sumLanes<4>(sum[0]); // of sum l / 4
  if (l % 4 == 0)
    store<4>(sums, ((token * (Width / kTeamChannels) + team) * kSiteSlots + l + k) * 4, total);
}

// The channels of a thread in the last step, in runs of four.
template <int Width> struct SiteRuns {
  static constexpr int kCount = (Width / 4 + kSiteThreads - 1) / kSiteThreads;
  DS4_DEVICE_METHOD static U32 channel(int run) { return (run * kSiteThreads + threadIndex()) * 4; }
  DS4_DEVICE_METHOD static bool inRange(int run) { return Width % (4 * kSiteThreads) == 0 || channel(run) < Width; }
};

// The sum of each slot over the teams, in the lane of that slot.
template <int Teams> DS4_DEVICE float sumOfSlot(const float *sums, U32 token) {
  constexpr int kQuads = Teams * kSiteSlots / 4, kLoads = (kQuads + kSiteThreads - 1) / kSiteThreads;
  alignas(16) DS4_SHARED float reduced[kSiteWaves][kSiteSlots];
  float loaded[kLoads][4] = {}, sum[4] = {};
#pragma unroll
  for (int i = 0; i < kLoads; ++i)
    if (kQuads % kSiteThreads == 0 || i * kSiteThreads + threadIndex() < kQuads)
      load<16>(loaded[i], sums, (token * kQuads + i * kSiteThreads + threadIndex()) * 16);
#pragma unroll
  for (int e = 0; e < 4; ++e) {
#pragma unroll
    for (int i = 0; i < kLoads; ++i)
      sum[e] += loaded[i][e];
    sum[e] = sumLanes<kWaveSize, 8>(sum[e]);
  }
  if (lane() < 8)
    store<16>(reduced[wave()], static_cast<U32>(lane() * 16), sum);
  barrier();
  return sumOfWaves(reduced);
}

// Comb and post of a token from the coefficients c in the lanes of their slots and their sigmoids, by one wave.
DS4_DEVICE void storeMix(int iterations, float eps, float c, float gate, U32 token, const HcSiteOutput &out) {
  const float entry = doublyStochastic(iterations, eps, c);
  const U32 l = lane();
  if (l < 16)
    out.comb[token * 16 + l] = entry;
  else if (l >= 20 && l < 24)
    out.post[token * 4 + l - 20] = 2.0f * gate;
}

template <typename Fn, typename Base, typename Scale, typename Norm, int Width, bool Writes>
DS4_DEVICE void hcSite(int iterations, HcSiteOptions options, HcSiteInput in, HcSiteWeights weights, HcSiteOutput out,
                       void *scratch) {
  constexpr int kTeams = Width / kTeamChannels;
  using Runs = SiteRuns<Width>;
  U32 token = tokenIndex(), l = lane();
  float *sums = reinterpret_cast<float *>(static_cast<Byte *>(scratch) + kScratchCounterBytes);
  sumChannels<Fn, Width, Writes>(in, weights.fn, token, out.streams, sums);
  if (!arrivesLast(static_cast<U32 *>(scratch) + token, kTeams / kSiteTeams))
    return;

  // Memory is asked for before anything is stored: behind a store each load would wait on its own.
  float streams[Runs::kCount][kSiteStreams][4], norm[Runs::kCount][4];
#pragma unroll
  for (int run = 0; run < Runs::kCount; ++run)
    if (Runs::inRange(run))
#pragma unroll
      for (int k = 0; k < kSiteStreams; ++k)
        load<16>(streams[run][k], out.streams, ((token * kSiteStreams + k) * Width + Runs::channel(run)) * 4);
  float scale = Scale::at(weights.scale, l < 16 ? 2 : l < 20 ? 0 : 1);
  float base = Base::at(weights.base, l < 16 ? 8 + l : l < 24 ? l - 16 : 0);
  float c = sumOfSlot<kTeams>(sums, token);
#pragma unroll
  for (int run = 0; run < Runs::kCount; ++run)
    if (Runs::inRange(run))
      Norm::template read<4 * Norm::kElementBytes>(norm[run], weights.norm, Runs::channel(run) * Norm::kElementBytes);

  float squares = readLane(sumLanes<4>(c), 24);
  c = fma(c * inverseSqrt(fma(squares, 1.0f / (kSiteStreams * Width), options.eps)), scale, base);
  float gate = sigmoid(c), pre[kSiteStreams];
#pragma unroll
  for (int k = 0; k < kSiteStreams; ++k)
    pre[k] = readLane(gate, 16 + k) + options.hcEps;

  DS4_SHARED float slots[kSiteWaves];
  float x[Runs::kCount][4], square = 0;
#pragma unroll
  for (int run = 0; run < Runs::kCount; ++run)
    if (Runs::inRange(run))
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        x[run][e] = pre[0] * streams[run][0][e];
#pragma unroll
        for (int k = 1; k < kSiteStreams; ++k)
          x[run][e] = fma(pre[k], streams[run][k][e], x[run][e]);
        square = fma(x[run][e], x[run][e], square);
      }
  float factor = inverseSqrt(fma(sumWaves<kSiteWaves>(sumLanes(square), slots), 1.0f / Width, options.normEps));
#pragma unroll
  for (int run = 0; run < Runs::kCount; ++run)
    if (Runs::inRange(run)) {
#pragma unroll
      for (int e = 0; e < 4; ++e)
        x[run][e] *= factor * norm[run][e];
      store<16>(out.x, (token * Width + Runs::channel(run)) * 4, x[run]);
    }
  // Last, for no other wave waits for it here.
  if (wave() == 0)
    storeMix(iterations, options.hcEps, c, gate, token, out);
}

} // namespace ds4
