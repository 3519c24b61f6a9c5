// The integers of quad_fragments.h for several columns that share decoded weights, of formats with one scale a block.
//
// The four lanes of a quad share a block of 32 weights, lane l % 4 = t has weights 4 t .. 4 t + 3 and 16 further on, of rows l / 4
// and 8 + l / 4. A digit of a token is a column of the matrix unit. A lane has both digits of a token, and adds up as the lanes of
// quad_fragments.h together do, so that tokens have the bits of steps of one.
#pragma once

#include "quad_fragments.h"

namespace ds4 {

template <typename Fragment, int Columns, int K> struct QuadIntegers {
  static constexpr int kBlocks = 4 * Fragment::kBlocks, kChunk = 32 * kBlocks, kChunks = K / kChunk; // blocks of a chunk
  static_assert(K % kChunk == 0);
  static constexpr int kBlockBytes = Columns * 64, kChunkBytes = kBlocks * kBlockBytes; // [block][column][digit][lane] 8 bytes
  static constexpr int kBytes = (kChunks * (kChunkBytes + Columns * 4) + 15) & -16;
  static constexpr int kRounds = kBlocks * 4 / kWaveSize;
  static constexpr U32 kMagic = QuadDigits::kMagic;

  Byte *lds;

  DS4_DEVICE_METHOD float *factors() const { return reinterpret_cast<float *>(lds + kChunks * kChunkBytes); } // [chunk][column]
  DS4_DEVICE_METHOD void prepare() const {}

  // The lower bytes of eight integers in the order of the weights' (two words).
  DS4_DEVICE_METHOD static void pack(U32 (&words)[2], const int (&values)[8]) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      constexpr bool kMixed = Fragment::kFar; // 0 4 1 5, then 2 6 3 7
      const U32 a = values[kMixed ? 2 * i : 4 * i], b = values[kMixed ? 2 * i + 4 : 4 * i + 1];
      const U32 c = values[kMixed ? 2 * i + 1 : 4 * i + 2], d = values[kMixed ? 2 * i + 5 : 4 * i + 3];
      words[i] = (a & 0xff) | (b & 0xff) << 8 | (c & 0xff) << 16 | d << 24;
    }
  }

  // A chunk of a column on its way to this wave, and from there to LDS.
  using Values = float[kRounds][8];
  template <typename X> DS4_DEVICE_METHOD static void loadChunk(Values &values, const X *from) {
#pragma unroll
    for (int round = 0; round < kRounds; ++round) {
      const U32 item = round * kWaveSize + lane();
#pragma unroll
      for (int k = 0; k < 8; k += 4) {
        float quad[4];
        loadFour(quad, from, item / 4 * 32 + item % 4 * 4 + 4 * k);
#pragma unroll
        for (int i = 0; i < 4; ++i)
          values[round][k + i] = quad[i];
      }
    }
  }
  DS4_DEVICE_METHOD void storeChunk(const Values &values, int chunk, int column) const {
    U32 most = 0;
#pragma unroll
    for (int round = 0; round < kRounds; ++round)
#pragma unroll
      for (float value : values[round])
        most = larger(most, bitsOf(absolute(value)));
    const float largest = largestOfChunk(most), scale = QuadDigits::kMost * reciprocal(largest);
    if (lane() == 0)
      factors()[chunk * Columns + column] = largest * (1 / QuadDigits::kMost);
#pragma unroll
    for (int round = 0; round < kRounds; ++round) {
      const U32 item = round * kWaveSize + lane();
      int high[8], low[8];
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        const QuadDigits digits(values[round][i], scale);
        high[i] = digits.high;
        low[i] = digits.low;
      }
      Byte *at = lds + chunk * kChunkBytes + item / 4 * kBlockBytes + column * 64 + item % 4 * 8;
      U32 words[2];
      pack(words, high);
      store<8>(at, 0, words);
      pack(words, low);
      store<8>(at, 32, words);
    }
  }

  // 16 rows of a chunk times the columns: store(row, column, sum) for the sums that this lane has.
  template <typename Store> DS4_DEVICE_METHOD void multiply(const Fragment &, const Byte *staged, int chunk, Store store) const {
    constexpr int kTiles = (Columns + 3) / 4; // of four tokens
    const U32 l = lane(), quad = l / 4;
    const Byte *rows[2] = {staged + quad * (Fragment::kWords * 16), staged + (8 + quad) * (Fragment::kWords * 16)};
    const Byte *x = lds + chunk * kChunkBytes + l % 4 * 8;
    float pairs[kTiles][2], halves[kTiles][2]; // (t0 + t1), then that + (t2 + t3)
    float totals[kTiles][2];                   // of a fragment
#pragma unroll
    for (int block = 0; block < kBlocks; ++block) {
      U32 plus[4], minus[4]; // of the first row and of the second, then the same 16 weights further on
      float scales[2];
#pragma unroll
      for (int row = 0; row < 2; ++row) {
        U32 up[2], down[2];
        Fragment::sharedIntegers(up, down, rows[row], block, l % 4);
        scales[row] = Fragment::sharedFactor(rows[row], block);
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          plus[2 * i + row] = up[i];
          minus[2 * i + row] = down[i];
        }
      }
#pragma unroll
      for (int tile = 0; tile < kTiles; ++tile) {
        U32 digits[2];
        load<8>(digits, x, block * kBlockBytes + smaller<U32>(8 * tile + quad, 2 * Columns - 1) * 32);
        U32 sums[4] = {kMagic, kMagic, kMagic, kMagic}, others[4] = {kMagic, kMagic, kMagic, kMagic};
        addQuadIntegers(sums, plus, digits);
        if constexpr (Fragment::kSplit)
          addQuadIntegers(others, minus, digits);
        float parts[4];
#pragma unroll
        for (int i = 0; i < 4; ++i)
          parts[i] = floatOf(sums[i]) - floatOf(others[i]);
#pragma unroll
        for (int row = 0; row < 2; ++row) {
          float &total = totals[tile][row];
          total = fma(scales[row], fma(128.0f, parts[2 * row], parts[2 * row + 1]), block % Fragment::kBlocks ? total : 0.0f);
          if (block % Fragment::kBlocks < Fragment::kBlocks - 1)
            continue;
          float &pair = pairs[tile][row], &half = halves[tile][row];
          const int t = block / Fragment::kBlocks;
          pair = t % 2 ? pair + total : total;
          if (t % 2)
            half = t == 3 ? half + pair : pair;
        }
      }
    }
#pragma unroll
    for (int tile = 0; tile < kTiles; ++tile)
      if (const int column = 4 * tile + l % 4; column < Columns) {
        const float factor = factors()[chunk * Columns + column];
        store(quad, column, halves[tile][0] * Fragment::kFactorUnit * factor);
        store(8 + quad, column, halves[tile][1] * Fragment::kFactorUnit * factor);
      }
  }
};

} // namespace ds4
