// Products of many tokens on the matrix unit: a workgroup multiplies 128 rows of weights with 128 tokens (Halves = 2: 64).
//
// Along a row it goes in steps of 64 weights. Those of all rows are decoded once by the format's reader (formats/), rounded to
// halves, and laid into LDS beside the tokens' activations; eight waves then have a rectangle of 16x16 tiles each (tile.h).
//
// An activation is a half, after its token was multiplied by the power of two that brings its largest magnitude just below 2^15
// (as in product.h), or, to 22 bits, the sum of two halves: Halves. A weight is multiplied by kChunkWeightFactor, which keeps those
// of up to 2^-20 from being subnormal; magnitudes stay below 1,000. Weights in half precision enter as they are.
//
// A token's results do not depend on the tokens beside it: each is a sum over steps and tiles in one order, also where a workgroup
// takes few tokens (kFewTokens), as an expert of a short chunk has.
#pragma once

#include "formats/f16.h"
#include "row.h"
#include "run_pairs.h"
#include "tile.h"

namespace ds4 {

inline constexpr int kChunkRows = 128, kChunkDepth = 64, kChunkWaves = 8;
template <int Halves> inline constexpr int kChunkTokens = Halves == 1 ? 128 : 64;
inline constexpr int kFewTokens = 2 * kTile;

template <typename Format> inline constexpr float kChunkWeightFactor = 64;
template <> inline constexpr float kChunkWeightFactor<F16> = 1;

// What a workgroup has in LDS. `source` and `target` are rows of x and y; -1: none.
template <int Halves> struct ChunkMemory {
  static constexpr int kStride = kChunkDepth * 2 + 16; // no two of eight neighbouring rows begin in one bank
  alignas(16) U32 weights[kChunkRows * kStride / 4];
  alignas(16) U32 inputs[Halves][kChunkTokens<Halves> * kStride / 4];
  alignas(16) float factors[kChunkTokens<Halves>]; // of results, as RowFactors wants those of a tile
  float scales[kChunkTokens<Halves>];              // of activations
  int source[kChunkTokens<Halves>], target[kChunkTokens<Halves>];
};

template <typename Format, int Halves, int N, int K, int Tokens = kChunkTokens<Halves>> struct ChunkProduct {
  static constexpr int kTokens = Tokens, kThreads = kChunkWaves * kWaveSize, kStride = ChunkMemory<Halves>::kStride;
  static constexpr int kSteps = (K + kChunkDepth - 1) / kChunkDepth;
  static constexpr bool kWhole = K % kChunkDepth == 0;
  // Of many tokens a wave has a half, and a quarter of the rows; of few it has all, and an eighth.
  static constexpr int kRowWaves = kTokens > kFewTokens ? kChunkWaves / 2 : kChunkWaves;
  static constexpr int kTokenTiles = kTokens * kRowWaves / kChunkWaves / kTile, kRowTiles = kChunkRows / kRowWaves / kTile;
  static constexpr int kAlign = alignmentOf(kRowBytes<Format, K>);
  static constexpr int kRuns = kChunkDepth / Format::kRun; // of a row in a step
  static constexpr int kItems = kChunkRows * kRuns / kThreads;
  static constexpr int kQuads = kTokens * kChunkDepth / 4 / kThreads; // of activations that a thread converts
  static_assert(K % Format::kRun == 0 && K % 4 == 0 && kItems * kThreads == kChunkRows * kRuns);

  Format format;
  const Byte *rows; // of the matrix
  const float *x;
  float *y;
  U32 xStride, yStride;
  ChunkMemory<Halves> &memory;

  // A wave finds the largest magnitudes of its tokens.
  DS4_DEVICE_METHOD void findScales() const {
#pragma unroll 1
    for (int i = 0; i < kTokens / kChunkWaves; ++i) {
      int token = wave() * (kTokens / kChunkWaves) + i, row = uniform(memory.source[token]);
      float largest = 0;
      if (row >= 0) {
        const float *from = x + static_cast<U64>(static_cast<U32>(row)) * xStride;
#pragma unroll 4
        for (int k = lane() * 4; k < K; k += kWaveSize * 4) {
          float values[4];
          load<16>(values, from, k * 4);
          largest = maxMagnitude(maxMagnitude(largest, values[0]), maxMagnitude(values[1], maxMagnitude(values[2], values[3])));
        }
        largest = reduceLanes<kWaveSize>(largest, [](float a, float b) { return maxMagnitude(a, b); });
      }
      U32 exponent = larger(bitsOf(largest) >> 23, 15u);
      if (lane() == 0) {
        int inTile = token % kTile;
        memory.scales[token] = floatOf((268 - exponent) << 23);
        memory.factors[token - inTile + inTile % 2 * 8 + inTile / 2] = floatOf((exponent - 14) << 23) / kChunkWeightFactor<Format>;
      }
    }
  }

  // --- One step of 64 weights ---
  using Quads = float[kQuads][4];
  DS4_DEVICE_METHOD static int tokenOf(int quad) { return quad * (kThreads / 16) + threadIndex() / 16; }

  DS4_DEVICE_METHOD void loadInputs(Quads &quads, const U32 (&offsets)[kQuads], int step) const {
    int k = step * kChunkDepth + threadIndex() % 16 * 4;
#pragma unroll
    for (int i = 0; i < kQuads; ++i) {
      float quad[4] = {};
      if (offsets[i] != ~0u && (kWhole || k < K))
        load<16>(quad, x + step * kChunkDepth, offsets[i]);
#pragma unroll
      for (int e = 0; e < 4; ++e)
        quads[i][e] = quad[e];
    }
  }
  DS4_DEVICE_METHOD void storeInputs(const Quads &quads, const float (&scales)[kQuads]) const {
#pragma unroll
    for (int i = 0; i < kQuads; ++i) {
      U32 first[Halves], second[Halves], at = tokenOf(i) * kStride + threadIndex() % 16 * 8;
      splitHalves(quads[i][0], quads[i][1], scales[i], first);
      splitHalves(quads[i][2], quads[i][3], scales[i], second);
#pragma unroll
      for (int h = 0; h < Halves; ++h) {
        const U32 pairs[2] = {first[h], second[h]};
        store<8>(memory.inputs[h], at, pairs);
      }
    }
  }
  // Rows beyond the last repeat it; weights beyond a row's end are zero.
  DS4_DEVICE_METHOD void decodeWeights(int firstRow, int step) const {
    const Byte *base = rows + static_cast<U64>(firstRow) * kRowBytes<Format, K>;
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      int item = i * kThreads + threadIndex(), row = item / kRuns, run = item % kRuns;
      U32 at = row * kStride + run * (Format::kRun * 2), pairs[Format::kRun / 2] = {};
      if (kWhole || (step * kRuns + run) * Format::kRun < K)
        runPairs<kAlign>(format, base, static_cast<U32>(smaller(row, N - 1 - firstRow)) * static_cast<U32>(kRowBytes<Format, K>),
                         step * kRuns + run, kChunkWeightFactor<Format>, pairs);
      store<Format::kRun == 4 ? 8 : 16>(memory.weights, at, pairs);
    }
  }

  using Sums = TileSum[kTokenTiles][kRowTiles];
  DS4_DEVICE_METHOD static int firstToken() { return wave() / kRowWaves * (kTokenTiles * kTile); }
  DS4_DEVICE_METHOD static int firstRowOfWave() { return wave() % kRowWaves * (kRowTiles * kTile); }

  template <int TokenTiles> DS4_DEVICE_METHOD void addTiles(Sums &sums) const {
#pragma unroll
    for (int k = 0; k < kChunkDepth / kTile; ++k) {
      TileOperand weight[kRowTiles];
#pragma unroll
      for (int r = 0; r < kRowTiles; ++r)
        weight[r] =
            tileOperand(memory.weights, [&](U32 n) { return (firstRowOfWave() + r * kTile + n) * kStride + k * (kTile * 2); });
#pragma unroll
      for (int h = 0; h < Halves; ++h)
#pragma unroll
        for (int t = 0; t < TokenTiles; ++t) {
          TileOperand input =
              tileOperand(memory.inputs[h], [&](U32 m) { return (firstToken() + t * kTile + m) * kStride + k * (kTile * 2); });
#pragma unroll
          for (int r = 0; r < kRowTiles; ++r)
            multiply(sums[t][r], input, weight[r]);
        }
    }
  }
  DS4_DEVICE_METHOD void multiplyStep(Sums &sums, int count) const {
    if (kTokens == kFewTokens && count <= kTile)
      addTiles<1>(sums);
    else
      addTiles<kTokenTiles>(sums);
  }
  DS4_DEVICE_METHOD void addStep(Sums &sums, int count) const {
    if constexpr (Halves == 2 && kTilesTruncate) { // else 512 truncations of a long row cost ten times what two halves gain
      Sums step;
      multiplyStep(step, count);
#pragma unroll
      for (int t = 0; t < kTokenTiles; ++t)
#pragma unroll
        for (int r = 0; r < kRowTiles; ++r)
          addSums(sums[t][r], step[t][r]);
    } else {
      multiplyStep(sums, count);
    }
  }

  DS4_DEVICE_METHOD void storeSums(Sums &sums, int firstRow) const {
#pragma unroll
    for (int t = 0; t < kTokenTiles; ++t) {
      const int tile = firstToken() + t * kTile;
      const RowFactors factors(memory.factors + tile);
#pragma unroll
      for (int r = 0; r < kRowTiles; ++r) {
        float values[8];
        scaleRows(sums[t][r], factors);
        rowsOf(sums[t][r], values);
        const int row = firstRow + firstRowOfWave() + r * kTile + lane() % kTile;
#pragma unroll
        for (int i = 0; i < 8; ++i) {
          const int target = memory.target[tile + 2 * i + lane() / kTile];
          if (target >= 0 && row < N)
            y[static_cast<U64>(static_cast<U32>(target)) * yStride + row] = values[i];
        }
      }
    }
  }

  // Rows firstRow .. firstRow + 127 times `count` tokens, which `source` and `target` name: all threads call it after a barrier.
  DS4_DEVICE_METHOD void run(int firstRow, int count) const {
    findScales();
    barrier();
    U32 offsets[kQuads];
    float scales[kQuads];
#pragma unroll
    for (int i = 0; i < kQuads; ++i) {
      const int row = memory.source[tokenOf(i)];
      offsets[i] = row < 0 ? ~0u : static_cast<U32>(row) * (xStride * 4) + threadIndex() % 16 * 16;
      scales[i] = memory.scales[tokenOf(i)];
    }
    Sums sums;
    Quads quads;
    const bool works = firstToken() < count && firstRow + firstRowOfWave() < N;
    loadInputs(quads, offsets, 0);
#pragma unroll 1
    for (int step = 0; step < kSteps; ++step) {
      if (step > 0)
        barrier();
      storeInputs(quads, scales);
      decodeWeights(firstRow, step);
      barrier();
      if (step + 1 < kSteps)
        loadInputs(quads, offsets, step + 1);
      if (works)
        addStep(sums, count);
    }
    if (works)
      storeSums(sums, firstRow);
  }
};

// Workgroup (i, c): rows 128 i .. of the N at `rows` for tokens kChunkTokens * c .. of the q at x.
template <typename Format, int Halves, int N, int K>
DS4_DEVICE void multiplyChunk(const Format &format, const Byte *rows, const float *x, U32 xStride, float *y, U32 yStride, int q) {
  constexpr int kTokens = kChunkTokens<Halves>;
  auto &memory = workgroupLds<ChunkMemory<Halves>>();
  const int first = blockY() * kTokens, count = q - first;
  if (threadIndex() < kTokens) {
    const int token = static_cast<int>(threadIndex()) < count ? first + static_cast<int>(threadIndex()) : -1;
    memory.source[threadIndex()] = memory.target[threadIndex()] = token;
  }
  barrier();
  const ChunkProduct<Format, Halves, N, K> product{format, rows, x, y, xStride, yStride, memory};
  product.run(blockX() * kChunkRows, count);
}

} // namespace ds4
