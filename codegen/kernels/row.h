// Work along a row that several lanes share: lane `part` of `Parts` takes every Parts-th run of values.
//
// The parts of a row are summed by the caller, over lanes and waves. The order of additions depends on the template
// arguments alone, so a token's result does not depend on how many tokens a launch has.
#pragma once

#include "formats/slice.h"

namespace ds4 {

// Values that a lane loads at once from an activation row of Width values.
template <int Width> inline constexpr int kQuad = Width % 4 == 0 ? 4 : 1;

template <typename Format, int K>
inline constexpr long long kRowBytes = static_cast<long long>(K) * Format::kBlockBytes / Format::kBlock;

// Calls work(i) for i = part, part + Parts ... below Count.
template <int Count, int Parts, typename Work> DS4_DEVICE void forPart(int part, Work work) {
  constexpr int kWhole = Count / Parts;
#pragma unroll kRunsUnderWay
  for (int i = 0; i < kWhole; ++i)
    work(i * Parts + part);
  if constexpr (Count % Parts != 0)
    if (part < Count % Parts)
      work(kWhole * Parts + part);
}

// This part's share of the product of the row of weights at `base + offset` with x, K values each.
template <int K, int Parts, typename Format>
DS4_DEVICE float partialDot(const Format &format, const void *base, U32 offset, const float *x, int part) {
  float sum = 0;
  if constexpr (K % Format::kRun == 0) {
    constexpr int kAlign = alignmentOf(kRowBytes<Format, K>);
    forPart<K / Format::kRun, Parts>(part, [&](int run) {
      float values[Format::kRun];
      load<alignmentOf(4 * K)>(values, x, run * sizeof(values));
      sum += format.template dot<kAlign>(base, offset, run, values);
    });
  } else {
    const Byte *row = static_cast<const Byte *>(base) + offset;
    forPart<K, Parts>(part, [&](int i) { sum = fma(Format::at(row, i), x[i], sum); });
  }
  return sum;
}

// A lane's shares of the products of Rows rows, `stride` bytes apart, with x, whose loads they share; each as partialDot() gives
// it.
template <int K, int Rows, typename Format>
DS4_DEVICE void partialDots(float (&sums)[Rows], const Format &format, const Byte *base, U32 stride, const float *x) {
  constexpr int kRuns = K / Format::kRun / kWaveSize;
  constexpr int kUnrolled = larger(1, 8 * kRunsUnderWay / Format::kRun); // more need more registers than the other products
  if constexpr (K % (Format::kRun * kWaveSize) == 0) {
#pragma unroll kUnrolled
    for (int run = 0; run < kRuns; ++run) {
      float values[Format::kRun];
      const U32 own = run * kWaveSize + lane();
      load<alignmentOf(4 * K)>(values, x, own * sizeof(values));
#pragma unroll
      for (int i = 0; i < Rows; ++i)
        sums[i] += format.template dot<alignmentOf(kRowBytes<Format, K>)>(base, i * stride, own, values);
    }
  } else {
#pragma unroll
    for (int i = 0; i < Rows; ++i)
      sums[i] = partialDot<K, kWaveSize>(format, base, i * stride, x, lane());
  }
}

// This part's share of the sum of squares of a row.
template <int Width, int Parts> DS4_DEVICE float partialSquares(const float *x, int part) {
  float sum = 0;
  forPart<Width / kQuad<Width>, Parts>(part, [&](int run) {
    float values[kQuad<Width>];
    load<4 * kQuad<Width>>(values, x, run * sizeof(values));
#pragma unroll
    for (float value : values)
      sum = fma(value, value, sum);
  });
  return sum;
}

// This lane's sum over the waves of a workgroup, or the workgroups of a cluster.
template <int Waves> DS4_DEVICE float sumOfWaves(const float (&slots)[Waves][kWaveSize]) {
  float sum = 0;
#pragma unroll
  for (int i = 0; i < Waves; ++i)
    sum += slots[i][lane()];
  return sum;
}

// The power of two that brings a row's largest magnitude just below 2^15, or that of 2^-112 if it is smaller, and its inverse.
struct HalfScale {
  U32 exponent; // biased
  DS4_DEVICE_METHOD explicit HalfScale(float largest) : exponent(larger(bitsOf(largest) >> 23, 15u)) {}
  DS4_DEVICE_METHOD float factor() const { return floatOf((268 - exponent) << 23); }
  DS4_DEVICE_METHOD float inverse() const { return floatOf((exponent - 14) << 23); }
};

// `bytes` bytes to the device's cache, where it can be asked: weights while the launch before still runs.
DS4_DEVICE void prefetchAll(const Byte *from, U32 bytes) {
  constexpr U32 kLine = 128;
  for (U32 at = lane() * kLine; at < bytes; at += kWaveSize * kLine)
    prefetch(from + at);
}

// Products of rows with x, Lanes lanes a row, 32 / Lanes rows a wave. `weights` is the matrix's first byte, y has N values;
// `workgroup` is the index of this one among those of the matrix.
template <int N, int K, int Lanes, int Waves, typename Format>
DS4_DEVICE void multiplyRows(const Format &format, const void *weights, const float *x, float *y, int workgroup = blockX()) {
  constexpr int kRows = kWaveSize / Lanes;
  int first = (workgroup * Waves + wave()) * kRows;
  if (first >= N)
    return;
  prefetchAll(static_cast<const Byte *>(weights) + first * kRowBytes<Format, K>,
              static_cast<U32>(smaller(kRows, N - first) * kRowBytes<Format, K>));
  awaitPrevious();
  int part = lane() % Lanes, own = lane() / Lanes;
  int row = smaller(own, N - 1 - first); // lanes beyond the last row repeat it
  const Byte *base = static_cast<const Byte *>(weights) + first * kRowBytes<Format, K>;
  float sum = sumLanes<Lanes>(partialDot<K, Lanes>(format, base, static_cast<U32>(row * kRowBytes<Format, K>), x, part));
  if (part == 0 && own == row)
    y[first + row] = sum;
}

// The same with Rows rows a wave, each shared by all of its lanes.
template <int N, int K, int Rows, int Waves, typename Format>
DS4_DEVICE void multiplySeveralRows(const Format &format, const void *weights, const float *x, float *y, int workgroup) {
  const int first = (workgroup * Waves + wave()) * Rows;
  if (first >= N)
    return;
  static_assert(N % Rows == 0);
  constexpr U32 kRow = kRowBytes<Format, K>;
  const Byte *base = static_cast<const Byte *>(weights) + first * kRowBytes<Format, K>;
  prefetchAll(base, Rows * kRow);
  awaitPrevious();
  float sums[Rows] = {};
  partialDots<K>(sums, format, base, kRow, x);
  mergeLanes<kWaveSize>(sums, [](float a, float b) { return a + b; });
  if (lane() < Rows)
    y[first + lane()] = sums[0];
}

} // namespace ds4
