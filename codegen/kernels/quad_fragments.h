// Activations as integers of 15 bits in two digits, and weights that are integers times scales, for quad_product.h: each lane of a
// quad has a fragment of its own, of rows l / 4 and 8 + l / 4.
//
// The columns of the matrix unit are the digits of the four fragments: in 2 t and 2 t + 1 only lane t's activations are not zero,
// so that lane t gets the sums of its own weights, both digits, and scales them itself. 128 times the first digit plus the second
// is the activation over the chunk's factor, which brings its largest magnitude to 16256. Sums under one scale are exact. At the
// end a row is added up as (t0 + t1) + (t2 + t3); quad_integers.h, which shares decoded weights among more columns, does the same.
//
// A sum begins at kMagic, whose bits are those of the number 1.5 * 2^23, so it is a float without being converted. Where both
// digits' sums fit into one such number together, they are joined as integers.
#pragma once

#include "fragment.h"
#include "wave.h"

namespace ds4 {

// Integers of a chunk's activations and what they have to be multiplied with.
struct QuadDigits {
  static constexpr U32 kMagic = 0x4b400000;
  static constexpr float kMost = 16256; // 127 * 128: both digits are of 8 bits

  int high, low;
  DS4_DEVICE_METHOD QuadDigits(float x, float scale) {
    const int value = static_cast<int>(bitsOf(fma(x, scale, floatOf(kMagic))) - kMagic);
    high = (value + 64) >> 7;
    low = value - (high << 7);
  }
};

// The factor of a chunk whose largest magnitude of this lane is `most`, as bits: a NaN is the largest, and spreads.
DS4_DEVICE float largestOfChunk(U32 most) { return floatOf(larger(largestOfWave(most), bitsOf(1e-30f))); }

template <typename Fragment, int Columns, int K> struct QuadFragments {
  static constexpr int kBlocks = Fragment::kBlocks, kChunk = 4 * 32 * kBlocks, kChunks = K / kChunk; // blocks of a fragment
  static_assert(K % kChunk == 0);
  static constexpr int kBlockBytes = 64, kFragmentBytes = kBlocks * kBlockBytes; // [block][digit] 32 bytes
  static constexpr int kColumnBytes = 4 * kFragmentBytes, kChunkBytes = Columns * kColumnBytes;
  static constexpr int kZeros = kChunks * kChunkBytes + 64,
                       kZeroBytes = (kFragmentBytes + 127) & -128; // in other banks than digits
  static constexpr int kFactors = kZeros + kZeroBytes;
  static constexpr int kItems = kBlocks * 8; // of 16 values, half a block's
  static_assert(kItems <= kWaveSize);
  static constexpr U32 kMagic = QuadDigits::kMagic;
  static constexpr int kWeights = 32 / Fragment::kGroups; // of a scale
  static constexpr bool kJoins = Fragment::kIntegerSets == 1 && kWeights * Fragment::kMostInteger * QuadDigits::kMost < 1 << 22;
  static constexpr bool kHasOffset = Fragment::kIntegerOffset != 0; // then sums of activations, of half blocks, are needed, too
  static_assert(!kHasOffset || (kJoins && Fragment::kGroups == 2));
  static constexpr int kSums = kFactors + kChunks * Columns * 4, kSumBytes = kHasOffset ? kItems * 4 : 0; // of a column's chunk
  static constexpr int kBytes = (kSums + kChunks * Columns * kSumBytes + 15) & -16;

  Byte *lds;

  DS4_DEVICE_METHOD float *factors() const { return reinterpret_cast<float *>(lds + kFactors); } // [chunk][column]
  DS4_DEVICE_METHOD U32 *starts(int chunk, int column) const {                                   // [fragment][block][half]
    return reinterpret_cast<U32 *>(lds + kSums + (chunk * Columns + column) * kSumBytes);
  }

  // Before the barrier behind the conversion.
  DS4_DEVICE_METHOD void prepare() const {
    for (int i = lane(); i < kZeroBytes / 4; i += kWaveSize) // by every wave, of which there may be one
      reinterpret_cast<U32 *>(lds + kZeros)[i] = 0;
  }

  // The lower bytes of 16 integers in the order of the weights'.
  template <typename Of> DS4_DEVICE_METHOD static void pack(U32 (&words)[4], Of of) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const auto byte = [&](int k) { return static_cast<U32>(of(Fragment::placeOf(i, k))); };
      words[i] = permuteBytes(permuteBytes(byte(3), byte(2), 0x0c0c0400), permuteBytes(byte(1), byte(0), 0x0c0c0400), 0x05040100);
    }
  }

  // A chunk of a column on its way to this wave, and from there to LDS.
  using Values = float[16];
  template <typename X> DS4_DEVICE_METHOD static void loadChunk(Values &values, const X *from) {
    const U32 item = lane(), first = item / 2 * 32 + item % 2 * (Fragment::kFar ? 8 : 16);
#pragma unroll
    for (int k = 0; k < 16; k += 4) {
      float quad[4] = {};
      if (kItems == kWaveSize || item < kItems)
        loadFour(quad, from, first + (Fragment::kFar ? k % 8 + k / 8 * 16 : k));
#pragma unroll
      for (int i = 0; i < 4; ++i)
        values[k + i] = quad[i];
    }
  }
  DS4_DEVICE_METHOD void storeChunk(const Values &values, int chunk, int column) const {
    U32 most = 0;
#pragma unroll
    for (float value : values)
      most = larger(most, bitsOf(absolute(value)));
    const float largest = largestOfChunk(most), scale = QuadDigits::kMost * reciprocal(largest);
    if (lane() == 0)
      factors()[chunk * Columns + column] = largest * (1 / QuadDigits::kMost);
    int high[16], low[16];
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      const QuadDigits digits(values[i], scale);
      high[i] = digits.high;
      low[i] = digits.low;
    }
    if (kItems < kWaveSize && lane() >= kItems)
      return;
    Byte *at = lds + chunk * kChunkBytes + column * kColumnBytes + lane() / 2 * kBlockBytes + lane() % 2 * 16;
    U32 words[4];
    pack(words, [&](int i) { return high[i]; });
    store<16>(at, 0, words);
    pack(words, [&](int i) { return low[i]; });
    store<16>(at, 32, words);
    if constexpr (kHasOffset) {
      int sum = 0;
#pragma unroll
      for (int i = 0; i < 16; ++i)
        sum += high[i] * 128 + low[i];
      starts(chunk, column)[lane()] = kMagic + sum * Fragment::kIntegerOffset;
    }
  }

  // 16 rows of a chunk times the columns: store(row, column, sum) for the sums that this lane has.
  template <typename Store>
  DS4_DEVICE_METHOD void multiply(const Fragment &fragment, const Byte *staged, int chunk, Store store) const {
    constexpr int kWords = Fragment::kWords, kSets = Fragment::kIntegerSets;
    const U32 quad = lane() / 4, t = lane() % 4;
    U32 words[2][kWords];
#pragma unroll
    for (int row = 0; row < 2; ++row)
      load<alignmentOf(kWords * 4)>(words[row], staged, (row * 8 + quad) * (kWords * 16) + t * (kWords * 4));
    // Of the column's digit, and of the digit that the lower part of a weight is multiplied with: it counts as much as the upper
    // part times the second digit.
    const bool isOwn = quad / 2 == t, isSecond = quad % 2;
    const Byte *own = lds + chunk * kChunkBytes + t * kFragmentBytes, *zeros = lds + kZeros;
    float totals[Columns][2] = {};
#pragma unroll
    for (int block = 0; block < kBlocks; ++block) {
      U32 sums[Columns][Fragment::kSplit ? 2 : 1][4];
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        U32 weights[2][kSets][4];
#pragma unroll
        for (int row = 0; row < 2; ++row)
          fragment.integers(weights[row], words[row], block, half);
#pragma unroll
        for (int column = 0; column < Columns; ++column) {
          auto &sum = sums[column];
          if (half == 0 || Fragment::kGroups == 2)
#pragma unroll
            for (int i = 0; i < 4; ++i)
              sum[0][i] = sum[Fragment::kSplit ? 1 : 0][i] = kJoins && i % 2 == 0 ? 0
                                                             : kHasOffset ? starts(chunk, column)[(t * kBlocks + block) * 2 + half]
                                                                          : kMagic;
          U32 digits[kSets][4];
          const Byte *digitsOfColumn = own + column * kColumnBytes;
          load<16>(digits[0], isOwn ? digitsOfColumn + isSecond * 32 : zeros, block * kBlockBytes + half * 16);
          if constexpr (kSets == 2 && !Fragment::kSplit)
            load<16>(digits[1], isOwn && isSecond ? digitsOfColumn : zeros, block * kBlockBytes + half * 16);
#pragma unroll
          for (int set = 0; set < kSets; ++set)
#pragma unroll
            for (int i = 0; i < 4; i += 2) {
              const U32 rows[4] = {weights[0][set][i], weights[1][set][i], weights[0][set][i + 1], weights[1][set][i + 1]};
              const U32(&from)[4] = digits[Fragment::kSplit ? 0 : set];
              const U32 x[2] = {from[i], from[i + 1]};
              addQuadIntegers(sum[Fragment::kSplit ? set : 0], rows, x);
            }
          if (half == 0 && Fragment::kGroups == 1)
            continue;
#pragma unroll
          for (int row = 0; row < 2; ++row) {
            const U32 *of = &sum[0][2 * row];
            float part;
            if constexpr (kJoins) {
              part = floatOf(of[0] * 128 + of[1]) - floatOf(kMagic);
            } else {
              const U32 *from = &sum[kSets - 1][2 * row];
              const auto digit = [&](int i) { return floatOf(of[i]) - floatOf(Fragment::kSplit ? from[i] : kMagic); };
              part = fma(128.0f, digit(0), digit(1));
            }
            totals[column][row] = fma(fragment.factor(words[row], block, half), part, totals[column][row]);
          }
        }
      }
    }
#pragma unroll
    for (int column = 0; column < Columns; ++column) {
      mergeLanes<4>(totals[column], [](float a, float b) { return a + b; });
      if (t < 2) // the totals of rows `quad` and 8 + quad
        store(t * 8 + quad, column, totals[column][0] * Fragment::kFactorUnit * factors()[chunk * Columns + column]);
    }
  }
};

} // namespace ds4
