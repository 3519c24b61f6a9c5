// hc_site: streams [T, 4, D], fn [24, 4 D], base [24], scale [3], norm [D], y [T, D], post [T, 4], comb [T, 4, 4] ->
// X' [T, 4, D], post', comb', x [T, D]: hc_write of y, then hc_coefficients, sinkhorn, hc_read and rms_norm.
//
// A workgroup of four waves takes 64 channels of all streams. Wave k makes stream k, keeps it in memory and in LDS, then
// multiplies six rows of fn with the 256 values; the partial sums go to scratch. The workgroup that arrives last of a
// token's adds them up, makes the coefficients (Sinkhorn in one register a lane) and reads the streams again.
//
// A token has 32 sums. Slots 0..15 are comb, 16..19 pre, 20..23 post, 24..27 the squares of each stream; lane = slot in
// the last step. Wave w sums slots w, w + 4, .. w + 24. Scratch: one counter a token, then [T, D / 64, 32] sums.
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

inline constexpr int kSiteStreams = 4, kSiteWaves = 4, kSiteSlots = 32, kSiteSums = 8;
inline constexpr int kSiteChannels = 64, kSiteThreads = kSiteWaves * kWaveSize;

// Row of fn whose product is sum `i` (0..5) of wave 0; wave w has the w-th after it.
DS4_DEVICE constexpr int siteRow(int i) { return (8 + 4 * i) % 24; }

// Lanes with bit Mask keep the upper half of the values, the others the lower half, each summed over that bit.
template <int Mask, int Count> DS4_DEVICE void halve(float *values) {
  bool upper = lane() & Mask;
#pragma unroll
  for (int i = 0; i < Count / 2; ++i) {
    float low = values[i], high = values[i + Count / 2];
    values[i] = (upper ? high : low) + laneXor<Mask>(upper ? low : high);
  }
}

// One channel pair of stream `wave()`.
template <int Width, bool Writes> DS4_DEVICE void makeStream(const HcSiteInput &in, int token, int channel, float (&made)[2]) {
  int k = wave();
  if constexpr (Writes) {
    const float *post = in.post + token * kSiteStreams, *comb = in.comb + token * kSiteStreams * kSiteStreams;
    float y[2], before[kSiteStreams][2];
    load<8>(y, in.y + token * Width, channel * 4);
#pragma unroll
    for (int j = 0; j < kSiteStreams; ++j)
      load<8>(before[j], in.streams + (token * kSiteStreams + j) * Width, channel * 4);
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      made[e] = post[k] * y[e];
#pragma unroll
      for (int j = 0; j < kSiteStreams; ++j)
        made[e] = fma(comb[j * kSiteStreams + k], before[j][e], made[e]);
    }
  } else {
    load<8>(made, in.streams + (token * kSiteStreams + k) * Width, channel * 4);
  }
}

// This workgroup's 32 sums of a token, and its part of X'.
template <typename Fn, int Width, bool Writes>
DS4_DEVICE void sumChannels(const HcSiteInput &in, const void *fn, int token, float *streams, float *sums) {
  // A lane has eight weights of a row: channels 8 (l % 8).. of stream l / 8.
  alignas(16) DS4_SHARED float column[kSiteStreams * kSiteChannels];
  int first = blockX() * kSiteChannels, l = lane();
  // The weights depend on nothing: they are asked for first.
  float w[6][8];
  U32 own = static_cast<U32>((l / 8) * Width + (l % 8) * 8) * Fn::kElementBytes;
#pragma unroll
  for (int i = 0; i < 6; ++i)
    Fn::template read<8 * Fn::kElementBytes < 16 ? 8 * Fn::kElementBytes : 16>(
        w[i], static_cast<const Byte *>(fn) + ((siteRow(i) + wave()) * kSiteStreams * Width + first) * Fn::kElementBytes, own);

  float made[2];
  makeStream<Width, Writes>(in, token, first + 2 * l, made);
  store<8>(streams + (token * kSiteStreams + wave()) * Width, (first + 2 * l) * 4, made);
  store<8>(column, static_cast<U32>(threadIndex() * 8), made);
  barrier();

  float x[8], sum[kSiteSums] = {};
  load<16>(x, column, static_cast<U32>(l * 32));
#pragma unroll
  for (int i = 0; i < 6; ++i)
#pragma unroll
    for (int e = 0; e < 8; ++e)
      sum[i] = fma(w[i][e], x[e], sum[i]);
  sum[6] = fma(made[1], made[1], made[0] * made[0]);
  halve<16, 8>(sum);
  halve<8, 4>(sum);
  halve<4, 2>(sum);
  float total = sumLanes<4>(sum[0]); // of sum l / 4
  if (l % 4 == 0)
    sums[l + wave()] = total;
}

// x of the streams, and the norm's weights, of the runs that this thread has in the last step.
template <typename Norm, int Width> struct SiteRow {
  static constexpr int kRuns = (Width / 4 + kSiteThreads - 1) / kSiteThreads;
  float streams[kRuns][kSiteStreams][4], norm[kRuns][4];
  DS4_DEVICE_METHOD static int channel(int run) { return (run * kSiteThreads + threadIndex()) * 4; }
  DS4_DEVICE_METHOD static bool inRange(int run) { return Width % (4 * kSiteThreads) == 0 || channel(run) < Width; }

  DS4_DEVICE_METHOD void read(const float *from, const void *weight) {
#pragma unroll
    for (int run = 0; run < kRuns; ++run)
      if (inRange(run)) {
#pragma unroll
        for (int k = 0; k < kSiteStreams; ++k)
          load<16>(streams[run][k], from + k * Width, static_cast<U32>(channel(run) * 4));
        Norm::template read<4 * Norm::kElementBytes>(norm[run], weight, static_cast<U32>(channel(run) * Norm::kElementBytes));
      }
  }
};

// The sum of each slot over the workgroups, in the lane of that slot.
template <int Groups> DS4_DEVICE float sumOfSlot(const float *sums) {
  constexpr int kQuads = Groups * kSiteSlots / 4, kLoads = (kQuads + kSiteThreads - 1) / kSiteThreads;
  alignas(16) DS4_SHARED float reduced[kSiteWaves][kSiteSlots];
  float loaded[kLoads][4] = {}, sum[4] = {};
#pragma unroll
  for (int i = 0; i < kLoads; ++i)
    if (kQuads % kSiteThreads == 0 || i * kSiteThreads + threadIndex() < kQuads)
      load<16>(loaded[i], sums, static_cast<U32>((i * kSiteThreads + threadIndex()) * 16));
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
  float total = 0;
#pragma unroll
  for (int i = 0; i < kSiteWaves; ++i)
    total += reduced[i][lane()];
  return total;
}

template <typename Fn, typename Base, typename Scale, typename Norm, int Width, bool Writes>
DS4_DEVICE void hcSite(int iterations, HcSiteOptions options, HcSiteInput in, HcSiteWeights weights, HcSiteOutput out,
                       void *scratch) {
  constexpr int kGroups = Width / kSiteChannels;
  int token = tokenIndex(), l = lane();
  U32 *counter = static_cast<U32 *>(scratch) + token;
  float *sums = reinterpret_cast<float *>(static_cast<Byte *>(scratch) + kScratchCounterBytes) + token * kGroups * kSiteSlots;
  sumChannels<Fn, Width, Writes>(in, weights.fn, token, out.streams, sums + blockX() * kSiteSlots);
  if (!arrivesLast(counter, kGroups))
    return;

  // All of memory is asked for before anything is stored, or each load would wait on its own.
  SiteRow<Norm, Width> row;
  row.read(out.streams + token * kSiteStreams * Width, weights.norm);
  float scale = Scale::at(weights.scale, l < 16 ? 2 : l < 20 ? 0 : 1);
  float base = Base::at(weights.base, l < 16 ? 8 + l : l < 24 ? l - 16 : 0);
  float c = sumOfSlot<kGroups>(sums);
  float squares = readLane(sumLanes<4>(c), 24);
  c = fma(c * inverseSqrt(fma(squares, 1.0f / (kSiteStreams * Width), options.eps)), scale, base);
  float gate = sigmoid(c), pre[kSiteStreams];
#pragma unroll
  for (int k = 0; k < kSiteStreams; ++k)
    pre[k] = readLane(gate, 16 + k) + options.hcEps;
  if (wave() == 0) {
    float entry = doublyStochastic(iterations, options.hcEps, c);
    if (l < 16)
      out.comb[token * 16 + l] = entry;
    else if (l >= 20 && l < 24)
      out.post[token * 4 + l - 20] = 2.0f * gate;
  }

  DS4_SHARED float slots[kSiteWaves];
  float square = 0;
#pragma unroll
  for (int run = 0; run < row.kRuns; ++run)
    if (row.inRange(run))
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        float x = pre[0] * row.streams[run][0][e];
#pragma unroll
        for (int k = 1; k < kSiteStreams; ++k)
          x = fma(pre[k], row.streams[run][k][e], x);
        row.streams[run][0][e] = x;
        square = fma(x, x, square);
      }
  float factor = inverseSqrt(fma(sumWaves<kSiteWaves>(sumLanes(square), slots), 1.0f / Width, options.normEps));
#pragma unroll
  for (int run = 0; run < row.kRuns; ++run)
    if (row.inRange(run)) {
#pragma unroll
      for (int e = 0; e < 4; ++e)
        row.streams[run][0][e] *= factor * row.norm[run][e];
      store<16>(out.x + token * Width, static_cast<U32>(row.channel(run) * 4), row.streams[run][0]);
    }
}

} // namespace ds4
