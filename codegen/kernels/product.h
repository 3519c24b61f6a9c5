// The fast product: rows of weights times up to Q columns of activations, in half precision with sums in single precision.
//
// A wave takes Rows tiles. A tile is 1,024 * kBlocks consecutive weights of the matrix: part of a long row, one row or
// several short ones. It comes in as aligned 16-byte loads that touch each line once and all are under way at the same
// time, is turned through LDS so that each lane holds a fragment of kBlocks consecutive blocks, and is decoded once for
// all columns: fragments/<format>.h gives eight weights as four pairs of halves, in an order that suits the format.
//
// The workgroup converts the columns to half precision once, in that order. A column is first multiplied by the power of two
// that brings its largest magnitude just below 2^15, so tiny activations do not become subnormal and huge ones not infinite;
// its results are multiplied back. Columns * K is at most 16384, and more columns take more workgroups; eight columns of up to
// 4096 come to LDS in two parts, between which the weights stay in registers.
//
// Columns that come as halves (to_half.h) are stored as they are, unscaled; quad_product.h takes them as it takes floats.
//
// Nothing that a column adds up, nor its order, depends on Q or q: columns of a wide product equal those of q = 1.
#pragma once

#include "quad_product.h"

namespace ds4 {

// How activations are on their way to LDS: as floats, or as pairs of halves.
template <typename X> struct ActivationWord {
  using Type = float;
  static constexpr int kValues = 1;
};
template <> struct ActivationWord<U16> {
  using Type = U32;
  static constexpr int kValues = 2;
};

// X: float, or U16 for halves. Chosen: column i is row `chosen >> 8 * i & 255` of x, else row i, or the last one of q.
template <typename Fragment, int Columns, int Rows, int Waves, int N, int K, typename X = float, bool Chosen = false>
struct Product {
  static constexpr bool kHalves = sizeof(X) == 2;
  static constexpr int kThreads = Waves * kWaveSize;
  static constexpr int kFragment = 32 * Fragment::kBlocks; // weights of a fragment
  static constexpr int kTile = kWaveSize * kFragment, kFragmentBytes = Fragment::kWords * 4 - Fragment::kPadding;
  static constexpr int kTileBytes = kWaveSize * kFragmentBytes;
  static constexpr int kLanes = K < kTile ? K / kFragment : kWaveSize; // of a row
  static constexpr int kChunks = K < kTile ? 1 : K / kTile;            // tiles of a row
  static constexpr int kTileRows = kWaveSize / kLanes;
  static constexpr int kTiles = (N + kTileRows - 1) / kTileRows;
  static constexpr U64 kBytes = static_cast<U64>(N) * kLanes * kChunks * kFragmentBytes;
  static_assert(Columns * K <= (Columns == 8 ? 32768 : 16384),
                "a thread holds its part of all columns while their scales are found");
  static_assert((K % kTile == 0 || kTile % K == 0) && kLanes >= 4, "rows of 4 to 32 fragments, or of whole tiles");

  // Activations in LDS, in phases: two blocks of each fragment of a chunk.
  static constexpr int kPhasesOfChunk = Fragment::kBlocks / 2, kPhases = kChunks * kPhasesOfChunk;
  static constexpr int kParts = Columns * K > 16384 ? 2 : 1, kPartPhases = kPhases / kParts; // in LDS at a time
  static_assert(kPhases % kParts == 0);
  static constexpr int kPieceBytes = kLanes * 16 + 16; // eight halves a lane; the rest spreads the writes over banks
  static constexpr int kColumnBytes = kPartPhases * 8 * kPieceBytes;
  static constexpr int kCorrections = Fragment::kCorrections;
  static constexpr int kCorrectionBytes = kPartPhases * 2 * kLanes * kCorrections * 4; // of a column
  static constexpr int kColumnStride = kColumnBytes + kCorrectionBytes;
  static constexpr int kActivationBytes = Columns * kColumnStride;
  // Eight columns: weights are through before activations come, and leave them their place; of long fragments first half of the
  // waves', then the others'.
  static constexpr bool kWeightsFirst = Columns == 8;
  static constexpr int kTurns = kWeightsFirst && Waves * kTileBytes > 61440 ? 2 : 1, kStagingWaves = Waves / kTurns;
  static constexpr int kStagingOffset = kWeightsFirst ? 0 : kActivationBytes, kStagingBytes = kStagingWaves * kTileBytes;
  static constexpr int kLdsBytes = kWeightsFirst ? larger(kActivationBytes, kStagingBytes) : kActivationBytes + kStagingBytes;

  DS4_DEVICE_METHOD static int stagingPlace() { return kTurns == 1 ? wave() : wave() % kStagingWaves; }

  // What a thread converts at a time, and how often a phase of a column has work for it.
  static constexpr int kItem = Fragment::kOrder == PairOrder::Far ? 8 : 4;
  static constexpr int kItems = kLanes * 64 / kItem, kRounds = (kItems + kThreads - 1) / kThreads;
  // Of many columns, threads that a phase of one has no work for take another one: column i * kSpread + ownColumn() is a thread's
  // i-th.
  static constexpr int spread() {
    int spread = 1;
    for (int columns = 2; Columns > 4 && columns <= smaller(kThreads / kItems, Columns); ++columns)
      if (Columns % columns == 0 && Waves % columns == 0)
        spread = columns;
    return spread;
  }
  static constexpr int kSpread = spread();
  static constexpr int kOwnColumns = Columns / kSpread, kSharingWaves = Waves / kSpread;
  DS4_DEVICE_METHOD static int ownColumn() { return kSpread == 1 ? 0 : uniform(wave() / kSharingWaves); }

  Fragment fragment;
  Byte *lds;     // of the columns, kActivationBytes
  Byte *staging; // of this wave, kTileBytes
  float *slots;  // one value a wave and column
  const X *x;
  U32 columnStride;
  int q;
  U32 exponents; // lane l: biased exponent of the largest magnitude of column l mod Columns
  U32 chosen = 0;

  DS4_DEVICE_METHOD int rowOfColumn(int column) const {
    if constexpr (Chosen)
      return static_cast<int>(chosen >> column * 8 & 255);
    else
      return Columns == 1 ? 0 : smaller(column, q - 1);
  }

  DS4_DEVICE_METHOD float *corrections(int column) const {
    return reinterpret_cast<float *>(lds + column * kColumnStride + kColumnBytes);
  }

  // --- Activations ---
  struct Place {
    U32 block, part; // of the phase: block of the fragment and lane, 2 * lane + block; part of the block
    DS4_DEVICE_METHOD Place(int round) {
      constexpr int kParts = 32 / kItem;
      U32 item = kSpread == 1 ? round * kThreads + threadIndex() : threadIndex() % (kThreads / kSpread);
      block = item / kParts;
      part = item % kParts;
    }
    DS4_DEVICE_METHOD bool exists() const { return kItems % (kThreads / kSpread) == 0 || block < 2 * kLanes; }
    DS4_DEVICE_METHOD U32 lane() const { return block / 2; }
    DS4_DEVICE_METHOD U32 inFragment() const { return block % 2; }
  };

  using Item = typename ActivationWord<X>::Type[kItem / ActivationWord<X>::kValues];
  DS4_DEVICE_METHOD void loadItem(Item &values, int column, int phase, const Place &place) const {
    U32 first = column * columnStride + phase / kPhasesOfChunk * kTile + phase % kPhasesOfChunk * 64;
    U32 offset = (place.lane() * kFragment + place.inFragment() * 32 + place.part * 4) * sizeof(X);
    if constexpr (kHalves && kItem == 4) {
      load<8>(values, x + first, offset);
    } else if constexpr (kHalves) {
      U32 low[2], high[2];
      load<8>(low, x + first, offset);
      load<8>(high, x + first, offset + 32);
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        values[i] = low[i];
        values[i + 2] = high[i];
      }
    } else if constexpr (kItem == 4) {
      load<16>(values, x + first, offset);
    } else {
      float low[4], high[4];
      load<16>(low, x + first, offset);
      load<16>(high, x + first, offset + 64);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        values[i] = low[i];
        values[i + 4] = high[i];
      }
    }
  }

  // Adds up the sums of the four threads that share one.
  DS4_DEVICE_METHOD void storeCorrection(float sum, int column, int phase, const Place &place, int index) const {
    sum += laneXor<1>(sum);
    sum += laneXor<2>(sum);
    corrections(column)[((phase % kPartPhases * 2 + place.inFragment()) * kLanes + place.lane()) * kCorrections + index] = -sum;
  }

  // Values i and j of an item, scaled, as a pair of halves.
  DS4_DEVICE_METHOD static U32 pairOf(const Item &values, int i, int j, float scale) {
    if constexpr (kHalves)
      return j == i + 1 ? values[i / 2] : permuteBytes(values[j / 2], values[i / 2], i % 2 ? 0x07060302 : 0x05040100);
    else
      return packHalves(values[i] * scale, values[j] * scale);
  }
  DS4_DEVICE_METHOD static U16 halfOf(const Item &values, int i, float scale) {
    if constexpr (kHalves)
      return static_cast<U16>(values[i / 2] >> i % 2 * 16);
    else
      return floatToHalf(values[i] * scale);
  }
  DS4_DEVICE_METHOD void storeItem(const Item &values, float scale, int column, int phase, const Place &place) const {
    Byte *at = lds + column * kColumnStride + (phase % kPartPhases * 8 + place.inFragment() * 4) * kPieceBytes + place.lane() * 16;
    if constexpr (Fragment::kOrder == PairOrder::Straight) {
      static_assert(kCorrections == 0);
      U32 pairs[2] = {pairOf(values, 0, 1, scale), pairOf(values, 2, 3, scale)};
      store<8>(at + place.part / 2 * kPieceBytes, place.part % 2 * 8, pairs);
    } else if constexpr (Fragment::kOrder == PairOrder::Far) {
      U32 pairs[4] = {pairOf(values, 0, 2, scale), pairOf(values, 1, 3, scale), pairOf(values, 4, 6, scale),
                      pairOf(values, 5, 7, scale)};
      store<16>(at + place.part * kPieceBytes, 0, pairs);
#pragma unroll
      for (int i = 0; i < kCorrections; ++i) {
        float sum = 0;
#pragma unroll
        for (int k = i * 2; k < (kCorrections == 2 ? i * 2 + 2 : 4); ++k)
          sum = dot2(k < 2 ? Fragment::kOffsetPair : Fragment::kFarOffsetPair, pairs[k], sum);
        storeCorrection(sum, column, phase, place, i);
      }
    } else {
      U32 octet = place.part >> 1, half = place.part & 1;
      constexpr bool kNear = Fragment::kOrder == PairOrder::Near;
      at += kNear                                    ? ((octet >> 1) * 2 + half) * kPieceBytes + (octet & 1) * 2
            : Fragment::kOrder == PairOrder::Crossed ? (octet >> 1) * (2 * kPieceBytes) + half * 4 + (octet & 1) * 2
                                                     : half * (2 * kPieceBytes) + octet * 2;
      float sum = 0;
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        U16 value[1] = {halfOf(values, i, scale)};
        store<2>(at, kNear ? i * 4 : i / 2 * kPieceBytes + i % 2 * 8, value);
        if constexpr (kCorrections != 0)
          sum = fma(halfToFloat(value[0]), half ? Fragment::kOffsets[i + 4] : Fragment::kOffsets[i], sum);
      }
      if constexpr (kCorrections != 0)
        storeCorrection(sum, column, phase, place, kCorrections == 2 ? place.part >> 2 : 0);
    }
  }

  using Values = Item[kPhases][kRounds];

  // A column to registers, and from there to LDS. Columns beyond the step's repeat the last.
  DS4_DEVICE_METHOD void loadColumn(Values &values, int column) const {
#pragma unroll
    for (int phase = 0; phase < kPhases; ++phase)
#pragma unroll
      for (int round = 0; round < kRounds; ++round)
        if (Place place(round); place.exists())
          loadItem(values[phase][round], rowOfColumn(column), phase, place);
  }
  DS4_DEVICE_METHOD void storeColumn(const Values &values, int column, int part) const {
    float scale = floatOf(readLane((268 - exponents) << 23, column));
#pragma unroll
    for (int phase = part * kPartPhases; phase < (part + 1) * kPartPhases; ++phase)
#pragma unroll
      for (int round = 0; round < kRounds; ++round)
        if (Place place(round); place.exists())
          storeItem(values[phase][round], scale, column, phase, place);
  }
  DS4_DEVICE_METHOD float largestOf(const Values &values) const {
    float largest = 0;
#pragma unroll
    for (int phase = 0; phase < kPhases; ++phase)
#pragma unroll
      for (int round = 0; round < kRounds; ++round)
        if (Place(round).exists())
#pragma unroll
          for (float value : values[phase][round])
            largest = maxMagnitude(largest, value);
    return largest;
  }
  // The columns on their way to registers, and the largest magnitudes of this wave's part of them to `slots`.
  DS4_DEVICE_METHOD void loadColumns(Values (&values)[kOwnColumns]) const {
    constexpr int kMerged = kOwnColumns <= 1 ? 1 : kOwnColumns <= 2 ? 2 : kOwnColumns <= 4 ? 4 : 8;
    static_assert(kOwnColumns <= kMerged);
    float largest[kMerged] = {};
    Fragment::template prepare<kThreads>();
#pragma unroll
    for (int i = 0; i < kOwnColumns; ++i)
      loadColumn(values[i], i * kSpread + ownColumn());
    if constexpr (!kHalves) {
#pragma unroll
      for (int i = 0; i < kOwnColumns; ++i)
        largest[i] = largestOf(values[i]);
      mergeLanes<kWaveSize>(largest, [](float a, float b) { return maxMagnitude(a, b); });
      if (lane() < kOwnColumns)
        slots[wave() * kOwnColumns + lane()] = largest[0];
    }
  }
  // After a barrier.
  DS4_DEVICE_METHOD void findExponents() {
    if constexpr (kHalves) {
      exponents = 141; // of a scale of 1
    } else {
      int column = lane() % Columns;
      const float *own = slots + column % kSpread * (kSharingWaves * kOwnColumns) + column / kSpread;
      float most = own[0];
#pragma unroll
      for (int other = 1; other < kSharingWaves; ++other)
        most = maxMagnitude(most, own[other * kOwnColumns]);
      exponents = larger(bitsOf(most) >> 23, 15u);
    }
  }
  // A part of the columns in half precision to LDS, where it is complete after a barrier.
  DS4_DEVICE_METHOD void storePart(const Values (&values)[kOwnColumns], int part) const {
#pragma unroll
    for (int i = 0; i < kOwnColumns; ++i)
      storeColumn(values[i], i * kSpread + ownColumn(), part);
  }
  // After a barrier: columns that come in one part to LDS.
  DS4_DEVICE_METHOD void storeColumns(const Values (&values)[kOwnColumns]) {
    findExponents();
    storePart(values, 0);
  }

  // --- Weights ---
  DS4_DEVICE_METHOD static void loadFragment(U32 (&words)[Fragment::kWords], const Byte *tile) {
    U32 at = lane() * kFragmentBytes;
    if constexpr (Fragment::kPadding == 0) {
      load<alignmentOf(kFragmentBytes)>(words, tile, at);
    } else {
      constexpr int kWhole = Fragment::kWords - 1;
      U32 whole[kWhole];
      U16 last[1];
      load<2>(whole, tile, at);
      load<2>(last, tile, at + kWhole * 4);
#pragma unroll
      for (int i = 0; i < kWhole; ++i)
        words[i] = whole[i];
      words[kWhole] = last[0];
    }
  }

  // Tiles that are on their way together, as a wave loads them. Where few waves run at a time, more tiles make up for it.
  static constexpr int kAhead = (Columns == 1 && !kHasQuadDots) || (kWeightsFirst && Fragment::kWords > 20) ? 1 : Rows;
  static constexpr int kWhole = kTileBytes / 512, kPieces = kWhole + (kTileBytes % 512 != 0);
  using Pieces = U32[kAhead][kPieces][4];
  // Whether tiles are on their way before they are wanted: while the columns are converted, and while others are multiplied.
  static constexpr bool kEarly = kHasQuadDots && K <= 4096;

  // Of tiles, and of the matrices of experts; the first begins at a multiple of 256.
  static constexpr int kAlignment = kTileBytes % 16 == 0 && kBytes % 16 == 0 ? 16 : 4;

  // Chunk `chunk` of tiles first .. first + kAhead - 1.
  DS4_DEVICE_METHOD static void fetch(Pieces &pieces, const void *weights, int first, int chunk) {
#pragma unroll
    for (int row = 0; row < kAhead; ++row) {
      int tile = smaller(first + row, kTiles - 1);
      const Byte *from = static_cast<const Byte *>(weights) + static_cast<U64>(tile * kChunks + chunk) * kTileBytes;
      // Lanes beyond the last row repeat its end.
      U32 limit = kTileRows == 1 ? kTileBytes - 16 : smaller<U64>(kTileBytes, kBytes - static_cast<U64>(tile) * kTileBytes) - 16;
#pragma unroll
      for (int i = 0; i < kPieces; ++i) {
        U32 offset = i * 512 + lane() * 16, piece[4];
        load<kAlignment>(piece, from, kTileRows == 1 && i < kWhole ? offset : smaller(offset, limit));
#pragma unroll
        for (int k = 0; k < 4; ++k)
          pieces[row][i][k] = piece[k];
      }
    }
  }
  // The fragments of fetched tiles that are this lane's: `words` from row `ahead` on.
  DS4_DEVICE_METHOD void turn(U32 (&words)[Rows][Fragment::kWords], const Pieces &pieces, int ahead) const {
#pragma unroll
    for (int row = 0; row < kAhead; ++row) {
#pragma unroll
      for (int i = 0; i < kPieces; ++i) {
        U32 offset = i * 512 + lane() * 16, piece[4];
#pragma unroll
        for (int k = 0; k < 4; ++k)
          piece[k] = pieces[row][i][k];
        store<16>(staging, i < kWhole ? offset : smaller<U32>(offset, kTileBytes - 16), piece);
      }
      waveBarrier();
      loadFragment(words[ahead + row], staging);
      waveBarrier();
    }
  }
  DS4_DEVICE_METHOD void loadTiles(U32 (&words)[Rows][Fragment::kWords], const void *weights, int first, int chunk) const {
#pragma unroll
    for (int ahead = 0; ahead < Rows; ahead += kAhead) {
      Pieces pieces;
      fetch(pieces, weights, first + ahead, chunk);
      turn(words, pieces, ahead);
    }
  }

  // Columns whose activations are in registers at a time.
  static constexpr int kBatch = smaller(Columns, 4), kBatches = Columns / kBatch;
  // Of columns first .. first + Count - 1; step 0..7 of a phase.
  template <int Count> DS4_DEVICE_METHOD void loadStep(U32 (&pairs)[Count][4], int phase, int step, int first = 0) const {
#pragma unroll
    for (int i = 0; i < Count; ++i)
      load<16>(pairs[i], lds + (first + i) * kColumnStride + lane() % kLanes * 16, (phase % kPartPhases * 8 + step) * kPieceBytes);
  }

  // Adds blocks 2 * half and 2 * half + 1 of a fragment of each row, which are phase `phase` of the row, to `sums`.
  DS4_DEVICE_METHOD void addPhase(float (&sums)[Rows * Columns], const U32 (&words)[Rows][Fragment::kWords], int half,
                                  int phase) const {
    constexpr int kGroups = Fragment::kGroups;
    U32 next[kBatch][4]; // activations are read a batch before
    loadStep(next, phase, 0);
#pragma unroll
    for (int block = 0; block < 2; ++block) {
      int inFragment = half * 2 + block;
      float group[kGroups][Rows * Columns], correction[Columns][kCorrections ? kCorrections : 1];
      if constexpr (kCorrections != 0) {
#pragma unroll
        for (int column = 0; column < Columns; ++column) {
          load<4 * kCorrections>(correction[column], corrections(column) + lane() % kLanes * kCorrections,
                                 (phase % kPartPhases * 2 + block) * (kLanes * kCorrections * 4));
#pragma unroll
          for (int row = 0; row < Rows; ++row)
#pragma unroll
            for (int i = 0; i < kGroups; ++i)
              group[i][row * Columns + column] = correction[column][i] * Fragment::offset(inFragment);
        }
      } else {
#pragma unroll
        for (int i = 0; i < kGroups * Rows * Columns; ++i)
          group[i / (Rows * Columns)][i % (Rows * Columns)] = 0;
      }
#pragma unroll
      for (int step = 0; step < 4; ++step) {
        U32 weights[Rows][4];
#pragma unroll
        for (int batch = 0; batch < kBatches; ++batch) {
          holdSchedule(); // else all loads of activations come first and need too many registers
          U32 pairs[kBatch][4];
#pragma unroll
          for (int i = 0; i < kBatch * 4; ++i)
            pairs[i / 4][i % 4] = next[i / 4][i % 4];
          if (int following = (block * 4 + step) * kBatches + batch + 1; following < 8 * kBatches)
            loadStep(next, phase, following / kBatches, following % kBatches * kBatch);
#pragma unroll
          for (int row = 0; row < Rows; ++row) {
            if (batch == 0)
              fragment.decode(weights[row], words[row], inFragment, step);
#pragma unroll
            for (int column = 0; column < kBatch; ++column)
#pragma unroll
              for (int i = 0; i < 4; ++i) {
                float &sum = group[Fragment::groupOf(step, i)][row * Columns + batch * kBatch + column];
                sum = dot2(weights[row][i], pairs[column][i], sum);
              }
          }
        }
      }
#pragma unroll
      for (int row = 0; row < Rows; ++row)
#pragma unroll
        for (int i = 0; i < kGroups; ++i) {
          float scale = fragment.scale(words[row], inFragment, i);
#pragma unroll
          for (int column = 0; column < Columns; ++column)
            sums[row * Columns + column] = fma(scale, group[i][row * Columns + column], sums[row * Columns + column]);
          if constexpr (Fragment::kHasMinima) {
            float minimum = fragment.minimum(words[row], inFragment, i);
#pragma unroll
            for (int column = 0; column < Columns; ++column)
              sums[row * Columns + column] = fma(minimum, correction[column][i], sums[row * Columns + column]);
          }
        }
    }
  }

  // Chunk `chunk` of Rows tiles, which is in `words`, to the sums.
  DS4_DEVICE_METHOD void addChunk(float (&totals)[Rows * Columns], const U32 (&words)[Rows][Fragment::kWords], int chunk) const {
#pragma unroll
    for (int phase = 0; phase < kPhasesOfChunk; ++phase)
      addPhase(totals, words, phase, chunk * kPhasesOfChunk + phase);
  }
  static constexpr int kUnrolled = K <= 4096 ? kChunks : 1; // longer rows need their registers

  // Adds this lane's part of the products of tiles first .. first + Rows - 1 with the columns.
  DS4_DEVICE_METHOD void addTiles(float (&totals)[Rows * Columns], const void *weights, int first) const {
    U32 words[Rows][Fragment::kWords];
#pragma unroll kUnrolled
    for (int chunk = 0; chunk < kChunks; ++chunk) {
      loadTiles(words, weights, first, chunk);
      addChunk(totals, words, chunk);
    }
  }
  // The same where `pieces` has been fetched; then it is what follows: the next chunk, or the first of tiles `next` on (-1: none).
  DS4_DEVICE_METHOD void addFetched(float (&totals)[Rows * Columns], Pieces &pieces, const void *weights, int first,
                                    int next) const {
    U32 words[Rows][Fragment::kWords];
#pragma unroll kUnrolled
    for (int chunk = 0; chunk < kChunks; ++chunk) {
      turn(words, pieces, 0);
      if (chunk + 1 < kChunks)
        fetch(pieces, weights, first, chunk + 1);
      else if (next >= 0)
        fetch(pieces, weights, next, 0);
      addChunk(totals, words, chunk);
    }
  }

  // --- Results: value i * kLanes + part of lane part of a row, for i below kEach; value = tile * Columns + column ---
  static constexpr int kCount = Rows * Columns, kEach = kCount > kLanes ? kCount / kLanes : 1;
  DS4_DEVICE_METHOD static int valueOf(int i) { return i * kLanes + lane() % kLanes; }
  // Its row, which may be beyond the last; tiles from `tile` on.
  DS4_DEVICE_METHOD static int rowOf(int i, int tile) { return (tile + valueOf(i) / Columns) * kTileRows + lane() / kLanes; }
  // Merges the lanes' parts; the lane's results are the first kEach.
  DS4_DEVICE_METHOD void finish(float (&totals)[Rows * Columns]) const {
    static_assert(kLanes >= Columns);
    mergeLanes<kLanes>(totals, [](float a, float b) { return a + b; });
    float inverse = floatOf((exponents - 14) << 23); // of column lane mod Columns, which is value mod Columns
#pragma unroll
    for (int i = 0; i < kEach; ++i)
      totals[i] = totals[i] * fragment.unit() * inverse;
  }

  DS4_DEVICE_METHOD void storeResults(const float (&totals)[Rows * Columns], float *y, U32 stride, int tile) const {
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      int column = valueOf(i) % Columns, row = rowOf(i, tile);
      if (valueOf(i) < kCount && column < q && row < N)
        y[column * stride + row] = totals[i];
    }
  }

  // Repeat times Rows tiles a wave, one after another.
  template <int Repeat> DS4_DEVICE_METHOD void run(const void *weights, float *y, U32 stride, int workgroup) {
    int first = (workgroup * Waves + wave()) * (Rows * Repeat);
    Values values[kOwnColumns];
    if constexpr (kWeightsFirst) {
      static_assert(Repeat == 1);
      loadColumns(values);
      return runInParts(values, weights, y, stride, first);
    }
    Pieces pieces;
    if constexpr (kEarly)
      fetch(pieces, weights, first, 0);
    loadColumns(values);
    if constexpr (!kHalves)
      barrier();
    storeColumns(values);
    barrier();
#pragma unroll 1
    for (int repeat = 0; repeat < Repeat; ++repeat) {
      int tile = first + repeat * Rows;
      float totals[Rows * Columns] = {};
      if constexpr (kEarly)
        addFetched(totals, pieces, weights, tile, repeat + 1 < Repeat ? tile + Rows : -1);
      else
        addTiles(totals, weights, tile);
      finish(totals);
      storeResults(totals, y, stride, tile);
    }
  }

  // Each part of the columns meets all weights of the wave's tiles.
  DS4_DEVICE_METHOD void runInParts(const Values (&values)[kOwnColumns], const void *weights, float *y, U32 stride, int tile) {
    U32 words[kChunks][Rows][Fragment::kWords];
#pragma unroll
    for (int now = 0; now < kTurns; ++now) {
      if (kTurns == 1 || wave() / kStagingWaves == now)
#pragma unroll
        for (int chunk = 0; chunk < kChunks; ++chunk)
          loadTiles(words[chunk], weights, tile, chunk);
      barrier();
    }
    findExponents();
    float totals[Rows * Columns] = {};
#pragma unroll
    for (int part = 0; part < kParts; ++part) {
      if (part > 0)
        barrier();
      storePart(values, part);
      barrier();
#pragma unroll
      for (int phase = part * kPartPhases; phase < (part + 1) * kPartPhases; ++phase)
        addPhase(totals, words[phase / kPhasesOfChunk], phase % kPhasesOfChunk, phase);
    }
    finish(totals);
    storeResults(totals, y, stride, tile);
  }
};

// LDS of a product. Products that share a launch (each workgroup makes one of them) share it, too, where they want as much: such a
// launch rounds up to a step at which few sizes occur. Alone a product takes what it needs, which saves registers; so does every
// one where LDS is one piece that the launch asks for.
#ifndef DS4_LDS_STEP
#define DS4_LDS_STEP 16
#endif
template <int Bytes> struct alignas(16) ProductLds {
  Byte bytes[Bytes];
};
DS4_DEVICE constexpr int steppedLds(int bytes) {
  constexpr int kStep = kHasQuadDots ? 16 : DS4_LDS_STEP;
  return (bytes + kStep - 1) / kStep * kStep;
}
template <typename Fragment, int Columns, int Rows, int Repeat, int Waves, int N, int K> DS4_DEVICE constexpr int tilesLds() {
  using Shape = Product<Fragment, Columns, Rows, Waves, N, K>;
  if constexpr (kUsesQuads<Fragment>)
    return steppedLds(QuadRows<Fragment, Columns, Waves, Shape::kTileRows * Waves * Rows * Repeat, N, K>::kLdsBytes);
  else
    return steppedLds(Shape::kLdsBytes + Waves * Columns * 4);
}
template <typename Fragment, int Columns, int Rows, int Repeat, int Waves, int N, int K>
inline constexpr int kTilesLds = tilesLds<Fragment, Columns, Rows, Repeat, Waves, N, K>();

// Workgroup i: Waves * Rows * Repeat tiles of the N rows at `weights`, for columns 0 .. q - 1 of x and y, whose strides are in
// elements.
template <int Columns, int Rows, int Repeat, int Waves, int N, int K, typename Fragment, typename X>
DS4_DEVICE void multiplyTiles(const Fragment &fragment, const void *weights, const X *x, U32 xStride, float *y, U32 yStride, int q,
                              int workgroup = blockX()) {
  using Shape = Product<Fragment, Columns, Rows, Waves, N, K, X>;
  constexpr int kLds = kTilesLds<Fragment, Columns, Rows, Repeat, Waves, N, K>;
  Byte *lds = workgroupLds<ProductLds<kLds>>().bytes;
  if constexpr (kUsesQuads<Fragment>) {
    QuadRows<Fragment, Columns, Waves, Shape::kTileRows * Waves * Rows * Repeat, N, K>{fragment, lds}.run(weights, x, xStride, y,
                                                                                                          yStride, q, workgroup);
  } else {
    static_assert(kLds + Fragment::kTableBytes <= 65536);
    Byte *staging = lds + Shape::kStagingOffset + Shape::stagingPlace() * Shape::kTileBytes;
    awaitPrevious();
    Shape product{fragment, lds, staging, reinterpret_cast<float *>(lds + Shape::kLdsBytes), x, xStride, q, 0};
    product.template run<Repeat>(weights, y, yStride, workgroup);
  }
}

} // namespace ds4
