// Products of many tokens on the matrix unit: a workgroup multiplies 128 rows of weights with 128 tokens (Halves = 2: 64).
//
// Along a row it goes in steps of 64 weights. Those of all rows are decoded once by the format's reader (formats/), rounded to
// halves, and laid into LDS beside the tokens' activations; eight waves then have a rectangle of 16x16 tiles each (tile.h).
//
// An activation is a half, after its token was multiplied by the power of two that brings its largest magnitude just below 2^15
// (as in product.h), or, to 22 bits, the sum of two halves: Halves. They come so, with the tokens' scales (X = U16,
// scale_to_half.h), or as floats, of which each workgroup finds the scales itself. A weight is multiplied by kChunkWeightFactor,
// which keeps those of up to 2^-20 from being subnormal; magnitudes stay below 1,000. Weights in half precision enter as they are.
//
// Where halves can be copied to LDS behind a wave's back (wave.h, kHasAsyncCopies), LDS has two steps: while the matrix unit is
// busy with one, the next is fetched and decoded.
//
// A token's results do not depend on the tokens beside it: each is a sum over steps and tiles in one order, also where a workgroup
// takes few tokens (kFewTokens), as an expert of a short chunk has, or some (kSomeTokens), as one of 4,096 tokens has on average.
#pragma once

#include "formats/f16.h"
#include "row.h"
#include "run_pairs.h"
#include "tile.h"

namespace ds4 {

inline constexpr int kChunkRows = 128, kChunkDepth = 64, kChunkWaves = 8;
template <int Halves> inline constexpr int kChunkTokens = Halves == 1 ? 128 : 64;
inline constexpr int kFewTokens = 2 * kTile, kSomeTokens = 6 * kTile;

template <typename Format> inline constexpr float kChunkWeightFactor = 64;
template <> inline constexpr float kChunkWeightFactor<F16> = 1;

// Steps that LDS has room for.
template <typename X> inline constexpr int kChunkStages = kHasAsyncCopies && sizeof(X) == 2 ? 2 : 1;

// What a workgroup has in LDS. `source` and `target` are rows of x and y; -1: none.
template <int Halves, typename X> struct ChunkMemory {
  static constexpr int kStride = kChunkDepth * 2 + 16; // no two of eight neighbouring rows begin in one bank
  alignas(16) U32 weights[kChunkStages<X>][kChunkRows * kStride / 4];
  alignas(16) U32 inputs[kChunkStages<X> * Halves][kChunkTokens<Halves> * kStride / 4];
  alignas(16) float factors[kChunkTokens<Halves>]; // of results, as RowFactors wants those of a tile
  float scales[kChunkTokens<Halves>];              // of activations that come as floats
  int source[kChunkTokens<Halves>], target[kChunkTokens<Halves>];
};

// The activations: rows of `stride` elements, and of halves the rows' scales, `scaleStride` apart.
template <typename X> struct ChunkInputs {
  const X *x;
  U32 stride;
  const float *scales = nullptr;
  U32 scaleStride = 1;
};

template <typename Format, int Halves, int N, int K, typename X, int Tokens = kChunkTokens<Halves>> struct ChunkProduct {
  using Memory = ChunkMemory<Halves, X>;
  static constexpr bool kScaled = sizeof(X) == 2;
  static_assert(!kScaled || Halves == 1);
  static constexpr int kTokens = Tokens, kThreads = kChunkWaves * kWaveSize, kStride = Memory::kStride;
  static constexpr int kSteps = (K + kChunkDepth - 1) / kChunkDepth;
  static constexpr bool kWhole = K % kChunkDepth == 0;
  // Of many tokens a wave has a half, and a quarter of the rows; of few it has all, and an eighth.
  static constexpr int kRowWaves = kTokens > kFewTokens ? kChunkWaves / 2 : kChunkWaves;
  static constexpr int kTokenTiles = kTokens * kRowWaves / kChunkWaves / kTile, kRowTiles = kChunkRows / kRowWaves / kTile;
  static constexpr int kAlign = alignmentOf(kRowBytes<Format, K>);
  static constexpr int kRuns = kChunkDepth / Format::kRun; // of a row in a step
  static constexpr int kItems = kChunkRows * kRuns / kThreads;
  static constexpr int kQuads = kTokens * kChunkDepth / 4 / kThreads;  // of activations that a thread converts
  static constexpr int kPieces = kTokens * kChunkDepth / 8 / kThreads; // of halves, 16 bytes, that a thread copies
  static_assert(K % Format::kRun == 0 && K % 4 == 0 && kItems * kThreads == kChunkRows * kRuns);

  Format format;
  const Byte *rows; // of the matrix
  ChunkInputs<X> inputs;
  float *y;
  U32 yStride;
  Memory &memory;

  // Where a token's factor stands in memory.factors.
  DS4_DEVICE_METHOD static int placeOfFactor(int token) {
    const int inTile = token % kTile;
    return token - inTile + inTile % 2 * 8 + inTile / 2;
  }

  // Of halves, the first thread of each token.
  DS4_DEVICE_METHOD void takeScales() const {
    if (const int token = threadIndex(); token < kTokens) {
      const int row = memory.source[token];
      memory.factors[placeOfFactor(token)] =
          row < 0 ? 0.0f : inputs.scales[static_cast<U32>(row) * inputs.scaleStride] / kChunkWeightFactor<Format>;
    }
  }

  // Of floats a wave finds the largest magnitudes of its tokens.
  DS4_DEVICE_METHOD void findScales() const {
#pragma unroll 1
    for (int i = 0; i < kTokens / kChunkWaves; ++i) {
      int token = wave() * (kTokens / kChunkWaves) + i, row = uniform(memory.source[token]);
      float largest = 0;
      if (row >= 0) {
        const X *from = inputs.x + static_cast<U64>(static_cast<U32>(row)) * inputs.stride;
#pragma unroll 4
        for (int k = lane() * 4; k < K; k += kWaveSize * 4) {
          float values[4];
          load<16>(values, from, k * 4);
          largest = maxMagnitude(maxMagnitude(largest, values[0]), maxMagnitude(values[1], maxMagnitude(values[2], values[3])));
        }
        largest = reduceLanes<kWaveSize>(largest, [](float a, float b) { return maxMagnitude(a, b); });
      }
      const HalfScale scale(largest);
      if (lane() == 0) {
        memory.scales[token] = scale.factor();
        memory.factors[placeOfFactor(token)] = scale.inverse() / kChunkWeightFactor<Format>;
      }
    }
  }

  // --- One step of 64 weights: activations that come as floats ---
  using Quads = float[kQuads][4];
  DS4_DEVICE_METHOD static int tokenOf(int quad) { return quad * (kThreads / 16) + threadIndex() / 16; }

  DS4_DEVICE_METHOD void loadQuads(Quads &quads, const U32 (&offsets)[kQuads], int step) const {
    int k = step * kChunkDepth + threadIndex() % 16 * 4;
#pragma unroll
    for (int i = 0; i < kQuads; ++i) {
      float quad[4] = {};
      if (offsets[i] != ~0u && (kWhole || k < K))
        load<16>(quad, inputs.x + step * kChunkDepth, offsets[i]);
#pragma unroll
      for (int e = 0; e < 4; ++e)
        quads[i][e] = quad[e];
    }
  }
  DS4_DEVICE_METHOD void storeQuads(const Quads &quads, const float (&scales)[kQuads]) const {
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

  // --- Activations that come as halves: a thread has pieces of tokens 32 apart. Those of no token repeat the first one's ---
  DS4_DEVICE_METHOD static U32 tokenOfPiece(int piece) { return piece * (kThreads / 8) + threadIndex() / 8; }
  DS4_DEVICE_METHOD static U32 placeOfPiece(int piece) { return tokenOfPiece(piece) * kStride + threadIndex() % 8 * 16; }
  DS4_DEVICE_METHOD static bool isThere(int step) {
    return kWhole || step * kChunkDepth + static_cast<int>(threadIndex()) % 8 * 8 < K;
  }

  DS4_DEVICE_METHOD void findPieces(U32 (&offsets)[kPieces]) const {
#pragma unroll
    for (int i = 0; i < kPieces; ++i) {
      const int row = memory.source[tokenOfPiece(i)];
      offsets[i] = static_cast<U32>(row < 0 ? memory.source[0] : row) * inputs.stride * 2 + threadIndex() % 8 * 16;
    }
  }
  using Pieces = U32[kPieces][4];
  DS4_DEVICE_METHOD void loadPieces(Pieces &pieces, const U32 (&offsets)[kPieces], int step) const {
#pragma unroll
    for (int i = 0; i < kPieces; ++i) {
      U32 words[4] = {};
      if (isThere(step))
        load<16>(words, inputs.x + step * kChunkDepth, offsets[i]);
#pragma unroll
      for (int k = 0; k < 4; ++k)
        pieces[i][k] = words[k];
    }
  }
  DS4_DEVICE_METHOD void storePieces(const Pieces &pieces) const {
#pragma unroll
    for (int i = 0; i < kPieces; ++i)
      store<16>(memory.inputs[0], placeOfPiece(i), pieces[i]);
  }
  DS4_DEVICE_METHOD void copyPieces(const U32 (&offsets)[kPieces], int step) const {
    Byte *to = reinterpret_cast<Byte *>(memory.inputs[step % kChunkStages<X>]);
    const Byte *from = reinterpret_cast<const Byte *>(inputs.x + step * kChunkDepth);
#pragma unroll
    for (int i = 0; i < kPieces; ++i)
      if (isThere(step)) {
        copyAsync(to + placeOfPiece(i), from + offsets[i]);
      } else {
        const U32 zeros[4] = {};
        store<16>(to, placeOfPiece(i), zeros);
      }
    commitCopies();
  }

  // --- Weights. Rows beyond the last repeat it; weights beyond a row's end are zero ---
  using Runs = U32[kItems][Format::kRun / 2];
  DS4_DEVICE_METHOD void decodeWeights(Runs &runs, int firstRow, int step) const {
    const Byte *base = rows + static_cast<U64>(firstRow) * kRowBytes<Format, K>;
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      int item = i * kThreads + threadIndex(), row = item / kRuns, run = item % kRuns;
      U32 pairs[Format::kRun / 2] = {};
      if (kWhole || (step * kRuns + run) * Format::kRun < K)
        runPairs<kAlign>(format, base, static_cast<U32>(smaller(row, N - 1 - firstRow)) * static_cast<U32>(kRowBytes<Format, K>),
                         step * kRuns + run, kChunkWeightFactor<Format>, pairs);
#pragma unroll
      for (int k = 0; k < Format::kRun / 2; ++k)
        runs[i][k] = pairs[k];
    }
  }
  DS4_DEVICE_METHOD void storeWeights(const Runs &runs, int stage) const {
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      int item = i * kThreads + threadIndex(), row = item / kRuns, run = item % kRuns;
      store<Format::kRun == 4 ? 8 : 16>(memory.weights[stage], row * kStride + run * (Format::kRun * 2), runs[i]);
    }
  }

  using Sums = TileSum[kTokenTiles][kRowTiles];
  DS4_DEVICE_METHOD static int firstToken() { return wave() / kRowWaves * (kTokenTiles * kTile); }
  DS4_DEVICE_METHOD static int firstRowOfWave() { return wave() % kRowWaves * (kRowTiles * kTile); }

  template <int TokenTiles> DS4_DEVICE_METHOD void addTiles(Sums &sums, int stage) const {
#pragma unroll
    for (int k = 0; k < kChunkDepth / kTile; ++k) {
      TileOperand weight[kRowTiles];
#pragma unroll
      for (int r = 0; r < kRowTiles; ++r)
        weight[r] = ldsOperand(memory.weights[stage],
                               [&](U32 n) { return (firstRowOfWave() + r * kTile + n) * kStride + k * (kTile * 2); });
#pragma unroll
      for (int h = 0; h < Halves; ++h)
#pragma unroll
        for (int t = 0; t < TokenTiles; ++t) {
          TileOperand input = ldsOperand(memory.inputs[stage * Halves + h],
                                         [&](U32 m) { return (firstToken() + t * kTile + m) * kStride + k * (kTile * 2); });
#pragma unroll
          for (int r = 0; r < kRowTiles; ++r)
            multiply(sums[t][r], input, weight[r]);
        }
    }
  }
  DS4_DEVICE_METHOD void multiplyStep(Sums &sums, int count, int stage = 0) const {
    if (kTokens == kFewTokens && count <= kTile)
      addTiles<1>(sums, stage);
    else
      addTiles<kTokenTiles>(sums, stage);
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

  // One step in LDS at a time: loadInputs(step) to registers, storeInputs() from there.
  template <typename LoadInputs, typename StoreInputs>
  DS4_DEVICE_METHOD void addInTurn(Sums &sums, int firstRow, int count, bool works, LoadInputs loadInputs,
                                   StoreInputs storeInputs) const {
    Runs runs;
    loadInputs(0);
#pragma unroll 1
    for (int step = 0; step < kSteps; ++step) {
      if (step > 0)
        barrier();
      storeInputs();
      decodeWeights(runs, firstRow, step);
      storeWeights(runs, 0);
      barrier();
      if (step + 1 < kSteps)
        loadInputs(step + 1);
      if (works)
        addStep(sums, count);
    }
  }
  // Floats.
  DS4_DEVICE_METHOD void addFloats(Sums &sums, int firstRow, int count, bool works) const {
    U32 offsets[kQuads];
    float scales[kQuads];
#pragma unroll
    for (int i = 0; i < kQuads; ++i) {
      const int row = memory.source[tokenOf(i)];
      offsets[i] = row < 0 ? ~0u : static_cast<U32>(row) * (inputs.stride * 4) + threadIndex() % 16 * 16;
      scales[i] = memory.scales[tokenOf(i)];
    }
    Quads quads;
    addInTurn(sums, firstRow, count, works, [&](int step) { loadQuads(quads, offsets, step); }, [&] { storeQuads(quads, scales); });
  }
  // Halves, likewise.
  DS4_DEVICE_METHOD void addHalves(Sums &sums, int firstRow, int count, bool works) const {
    U32 offsets[kPieces];
    findPieces(offsets);
    Pieces pieces;
    addInTurn(sums, firstRow, count, works, [&](int step) { loadPieces(pieces, offsets, step); }, [&] { storePieces(pieces); });
  }
  // Halves, two steps in LDS. All waves multiply, so that what they do beside it stands in one block with it.
  DS4_DEVICE_METHOD void addHalvesAhead(Sums &sums, int firstRow, int count) const {
    U32 offsets[kPieces];
    findPieces(offsets);
    Runs runs;
    copyPieces(offsets, 0);
    decodeWeights(runs, firstRow, 0);
    storeWeights(runs, 0);
    awaitCopies<0>();
    barrier();
#pragma unroll 1
    for (int step = 0; step + 1 < kSteps; ++step) {
      copyPieces(offsets, step + 1);
      decodeWeights(runs, firstRow, step + 1);
      multiplyStep(sums, count, step % 2);
      storeWeights(runs, (step + 1) % 2);
      awaitCopies<0>();
      barrier();
    }
    multiplyStep(sums, count, (kSteps - 1) % 2);
  }

  // Rows firstRow .. firstRow + 127 times `count` tokens, which `source` and `target` name: all threads call it after a barrier.
  DS4_DEVICE_METHOD void run(int firstRow, int count) const {
    if constexpr (kScaled)
      takeScales();
    else
      findScales();
    barrier();
    Sums sums;
    const bool works = firstToken() < count && firstRow + firstRowOfWave() < N;
    if constexpr (!kScaled)
      addFloats(sums, firstRow, count, works);
    else if constexpr (kChunkStages<X> == 2)
      addHalvesAhead(sums, firstRow, count);
    else
      addHalves(sums, firstRow, count, works);
    if (works)
      storeSums(sums, firstRow);
  }
};

// Workgroup (i, c): rows 128 i .. of the N at `rows` for tokens kChunkTokens * c .. of the q of the inputs.
template <typename Format, int Halves, int N, int K, typename X>
DS4_DEVICE void multiplyChunk(const Format &format, const Byte *rows, const ChunkInputs<X> &inputs, float *y, U32 yStride, int q) {
  constexpr int kTokens = kChunkTokens<Halves>;
  auto &memory = workgroupLds<ChunkMemory<Halves, X>>();
  const int first = blockY() * kTokens, count = q - first;
  if (threadIndex() < kTokens) {
    const int token = static_cast<int>(threadIndex()) < count ? first + static_cast<int>(threadIndex()) : -1;
    memory.source[threadIndex()] = memory.target[threadIndex()] = token;
  }
  barrier();
  ChunkProduct<Format, Halves, N, K, X>{format, rows, inputs, y, yStride, memory}.run(blockX() * kChunkRows, count);
}

} // namespace ds4
