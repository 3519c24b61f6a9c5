// hc_coefficients: streams [T, 4, D], fn [24, 4 D], base [24], scale [3] -> c [T, 24]:
// fn z * rsqrt(mean(z^2) + eps) * scale[group] + base, groups 0..3, 4..7, 8..23.
//
// Three kernels. By columns, for fn in f16 or f32 and widths that divide: a lane has 16 bytes of each row of fn in registers, the
// whole matrix is asked for at once, and every token of the step passes by it; all workgroups leave their sums in scratch and the
// last one adds them up. By tokens, of a chunk: the same with a few tokens a workgroup, which go through all columns. By rows, for
// anything else: one wave a coefficient and token; each computes the mean too.
#pragma once

#include "hand_over.h"
#include "row.h"
#include "step.h"

namespace ds4 {

inline constexpr int kHcStreams = 4, kHcCoefficients = (2 + kHcStreams) * kHcStreams;

template <typename Base, typename Scale>
DS4_DEVICE float hcCoefficient(int row, float product, float factor, const void *base, const void *scale) {
  int group = row < kHcStreams ? 0 : row < 2 * kHcStreams ? 1 : 2;
  return fma(product * factor, Scale::at(scale, group), Base::at(base, row));
}

template <typename Fn, typename Base, typename Scale, int Width, int Waves>
DS4_DEVICE void hcCoefficientsByRows(float eps, const float *streams, const void *fn, const void *base, const void *scale,
                                     float *c) {
  constexpr int kWidth = kHcStreams * Width;
  int row = blockX() * Waves + wave();
  if (row >= kHcCoefficients)
    return;
  const float *z = streams + tokenIndex() * kWidth;
  const Byte *weights = static_cast<const Byte *>(fn) + row * kRowBytes<Fn, kWidth>;
  float product = sumLanes(partialDot<kWidth, kWaveSize>(Fn(), weights, 0, z, lane()));
  float squares = sumLanes(partialSquares<kWidth, kWaveSize>(z, lane()));
  float factor = inverseSqrt(fma(squares, 1.0f / kWidth, eps));
  if (lane() == 0)
    c[tokenIndex() * kHcCoefficients + row] = hcCoefficient<Base, Scale>(row, product, factor, base, scale);
}

// 16 bytes of each row of fn, and what a token's streams in the same columns add to its sums: lane l gets sum l of the wave's. Sums
// 0..23 are rows, sum 24 is that of the squares.
template <typename Fn, int Width> struct HcColumns {
  static constexpr int kWidth = kHcStreams * Width, kColumns = 16 / Fn::kElementBytes;

  U32 first; // column of this lane
  U32 weights[kHcCoefficients][4];

  DS4_DEVICE_METHOD HcColumns(const void *fn, U32 first) : first(first) {
#pragma unroll
    for (int row = 0; row < kHcCoefficients; ++row)
      load<16>(weights[row], fn, (row * kWidth + first) * Fn::kElementBytes);
  }
  DS4_DEVICE_METHOD float sums(const float *streams) {
    float z[kColumns], sum[kWaveSize] = {};
    load<16>(z, streams, first * 4);
#pragma unroll
    for (U32(&row)[4] : weights) // else all of them are kept in single precision, twice the registers
#pragma unroll
      for (U32 &word : row)
        word = opaque(word);
#pragma unroll
    for (int row = 0; row < kHcCoefficients; ++row)
#pragma unroll
      for (int i = 0; i < kColumns; ++i)
        sum[row] = fma(Fn::element(weights[row], i), z[i], sum[row]);
#pragma unroll
    for (int i = 0; i < kColumns; ++i)
      sum[kHcCoefficients] = fma(z[i], z[i], sum[kHcCoefficients]);
    mergeLanes<kWaveSize>(sum, [](float a, float b) { return a + b; });
    return sum[0];
  }
};

// A token's coefficients, of which lane l has sum l.
template <typename Base, typename Scale, int Width>
DS4_DEVICE void storeCoefficients(float eps, float sum, const void *base, const void *scale, float *c) {
  float factor = inverseSqrt(fma(readLane(sum, kHcCoefficients), 1.0f / (kHcStreams * Width), eps));
  if (lane() < kHcCoefficients)
    c[lane()] = hcCoefficient<Base, Scale>(lane(), sum, factor, base, scale);
}

// Workgroup i: columns of Waves waves, 512 bytes of a row each.
template <typename Fn, typename Base, typename Scale, int Width, int Waves>
DS4_DEVICE void hcCoefficientsByColumns(float eps, const Step *step, const float *streams, const void *fn, const void *base,
                                        const void *scale, float *c, void *scratch) {
  using Columns = HcColumns<Fn, Width>;
  constexpr int kSlots = kWaveSize, kBlocks = Columns::kWidth / (Waves * kWaveSize * Columns::kColumns);
  DS4_SHARED float slots[kMaxWidth][Waves][kSlots];
  float *sums = reinterpret_cast<float *>(static_cast<Byte *>(scratch) + kScratchCounterBytes);
  Columns columns(fn, ((blockX() * Waves + wave()) * kWaveSize + lane()) * Columns::kColumns);
  int q = step->q;
#pragma unroll 1
  for (int token = 0; token < q; ++token)
    slots[token][wave()][lane()] = columns.sums(streams + token * Columns::kWidth);
  barrier();
#pragma unroll 1
  for (int token = wave(); token < q; token += Waves) {
    sums[(token * kBlocks + blockX()) * kSlots + lane()] = sumOfWaves(slots[token]);
  }
  if (!arrivesLast(static_cast<U32 *>(scratch), kBlocks))
    return;
#pragma unroll 1
  for (int token = wave(); token < q; token += Waves) {
    float parts[kBlocks], sum = 0;
#pragma unroll
    for (int i = 0; i < kBlocks; ++i)
      parts[i] = sums[(token * kBlocks + i) * kSlots + lane()];
#pragma unroll
    for (float part : parts)
      sum += part;
    storeCoefficients<Base, Scale, Width>(eps, sum, base, scale, c + token * kHcCoefficients);
  }
}

inline constexpr int kHcTokens = 8; // of a workgroup

// Workgroup i: tokens kHcTokens * i .. of a chunk. A wave takes every Waves-th piece of the columns.
template <typename Fn, typename Base, typename Scale, int Width, int Waves>
DS4_DEVICE void hcCoefficientsByTokens(float eps, const Step *step, const float *streams, const void *fn, const void *base,
                                       const void *scale, float *c) {
  using Columns = HcColumns<Fn, Width>;
  constexpr int kPieces = Columns::kWidth / (Waves * kWaveSize * Columns::kColumns);
  DS4_SHARED float slots[kHcTokens][Waves][kWaveSize];
  const int first = blockX() * kHcTokens, count = smaller(step->q - first, kHcTokens);
  const float *own = streams + static_cast<U64>(static_cast<U32>(first)) * Columns::kWidth;
#pragma unroll 1
  for (int piece = 0; piece < kPieces; ++piece) {
    Columns columns(fn, ((piece * Waves + wave()) * kWaveSize + lane()) * Columns::kColumns);
#pragma unroll 1
    for (int token = 0; token < count; ++token) {
      const float sum = columns.sums(own + token * Columns::kWidth);
      float &slot = slots[token][wave()][lane()];
      slot = piece == 0 ? sum : slot + sum;
    }
  }
  barrier();
#pragma unroll 1
  for (int token = wave(); token < count; token += Waves) {
    storeCoefficients<Base, Scale, Width>(eps, sumOfWaves(slots[token]), base, scale, c + (first + token) * kHcCoefficients);
  }
}

} // namespace ds4
