// Activations as halves, and weights scaled and rounded to halves, for quad_product.h.
//
// The four lanes of a quad have a fragment of one row each, lane l of rows l / 4 and 8 + l / 4. They decode and scale it to pairs
// of halves, which are operands of the matrix unit as they are: the activations come in the same order.
#pragma once

#include "fragment.h"
#include "wave.h"

namespace ds4 {

// Up to eight columns of K activations as halves in LDS: of a chunk, step by step of the fragments, 64 bytes a column, 16 of each
// lane of a quad. A chunk of a column has a power of two of its own, which brings its largest magnitude just below 2^15.
template <typename Fragment, int Columns, int K> struct QuadHalves {
  static constexpr int kChunk = 4 * 32 * Fragment::kBlocks, kChunks = K / kChunk;
  static_assert(K % kChunk == 0);
  static constexpr int kStepBytes = Columns * 64, kChunkBytes = Fragment::kBlocks * 4 * kStepBytes;
  static constexpr int kBytes = kChunks * (kChunkBytes + Columns * 4) + 15 & -16;
  static_assert(Fragment::kOrder == PairOrder::Far);
  static constexpr int kItem = 8, kRounds = kChunk / kItem / kWaveSize;

  Byte *lds;

  DS4_DEVICE_METHOD U32 *exponents() const { return reinterpret_cast<U32 *>(lds + kChunks * kChunkBytes); } // [chunk][column]

  DS4_DEVICE_METHOD void prepare() const {}

  // `part` of block `block` of the chunk: values 4 * part .. 4 * part + 3, and those 16 further on.
  DS4_DEVICE_METHOD static void storeItem(Byte *at, const float (&values)[kItem], float scale, U32 part) {
    U32 pairs[4] = {packHalves(values[0] * scale, values[2] * scale), packHalves(values[1] * scale, values[3] * scale),
                    packHalves(values[4] * scale, values[6] * scale), packHalves(values[5] * scale, values[7] * scale)};
    store<16>(at + part * kStepBytes, 0, pairs);
  }

  // A chunk of a column on its way to this wave, and from there to LDS.
  using Values = float[kRounds][kItem];
  template <typename X> DS4_DEVICE_METHOD static void loadChunk(Values &values, const X *from) {
#pragma unroll
    for (int round = 0; round < kRounds; ++round) {
      const U32 item = round * kWaveSize + lane(), at = item / (32 / kItem) * 32 + item % (32 / kItem) * 4;
#pragma unroll
      for (int k = 0; k < kItem; k += 4) {
        float quad[4];
        loadFour(quad, from, at + 4 * k);
#pragma unroll
        for (int i = 0; i < 4; ++i)
          values[round][k + i] = quad[i];
      }
    }
  }
  DS4_DEVICE_METHOD void storeChunk(const Values &values, int chunk, int column) const {
    float largest = 0;
#pragma unroll
    for (int round = 0; round < kRounds; ++round)
#pragma unroll
      for (float value : values[round])
        largest = maxMagnitude(largest, value);
    const U32 exponent = larger(largestOfWave(bitsOf(largest)) >> 23, 15u);
    if (lane() == 0)
      exponents()[chunk * Columns + column] = exponent;
    const float scale = floatOf((268 - exponent) << 23);
#pragma unroll
    for (int round = 0; round < kRounds; ++round) {
      const U32 item = round * kWaveSize + lane(), block = item / (32 / kItem);
      Byte *at =
          lds + chunk * kChunkBytes + block % Fragment::kBlocks * (4 * kStepBytes) + column * 64 + block / Fragment::kBlocks * 16;
      storeItem(at, values[round], scale, item % (32 / kItem));
    }
  }

  // 16 rows of a chunk times the columns: store(row, column, sum) for the sums that this lane has.
  template <typename Store>
  DS4_DEVICE_METHOD void multiply(const Fragment &fragment, const Byte *staged, int chunk, Store store) const {
    constexpr int kWords = Fragment::kWords, kGroups = Fragment::kGroups;
    const U32 l = lane(), quad = l / 4, own = (l % 4) * (kWords * 4);
    U32 words[2][kWords];
#pragma unroll
    for (int row = 0; row < 2; ++row)
      load<alignmentOf(kWords * 4)>(words[row], staged, (row * 8 + quad) * (kWords * 16) + own);
    const Byte *x = lds + chunk * kChunkBytes + smaller<U32>(quad, Columns - 1) * 64 + l % 4 * 16;
    float sums[2][4] = {};
#pragma unroll
    for (int block = 0; block < Fragment::kBlocks; ++block) {
      U32 scales[2][kGroups];
#pragma unroll
      for (int i = 0; i < 2 * kGroups; ++i) {
        const float scale = fragment.scale(words[i / kGroups], block, i % kGroups);
        scales[i / kGroups][i % kGroups] = packHalves(scale, scale);
      }
#pragma unroll
      for (int step = 0; step < 4; ++step) {
        U32 pairs[4], weights[2][4];
        load<16>(pairs, x, (block * 4 + step) * kStepBytes);
#pragma unroll
        for (int row = 0; row < 2; ++row) {
          fragment.decode(weights[row], words[row], block, step);
#pragma unroll
          for (int i = 0; i < 4; ++i) {
            const U32 scale = scales[row][Fragment::groupOf(step, i)], offset = Fragment::offsetPair(step, i);
            weights[row][i] =
                multiplyHalves(Fragment::kCorrections ? subtractHalves(weights[row][i], offset) : weights[row][i], scale);
          }
        }
#pragma unroll
        for (int i = 0; i < 2; ++i)
          addQuadDots(sums[i], weights[0] + 2 * i, weights[1] + 2 * i, pairs + 2 * i);
      }
    }
#pragma unroll
    for (int i = 0; i < 2; ++i)
      if (const int column = l % 4 * 2 + i; column < Columns) {
        const float inverse = floatOf((exponents()[chunk * Columns + column] - 14) << 23);
        store(quad, column, (sums[0][i] + sums[1][i]) * inverse);
        store(8 + quad, column, (sums[0][2 + i] + sums[1][2 + i]) * inverse);
      }
  }
};

} // namespace ds4
