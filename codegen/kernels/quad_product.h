// The fast product on a matrix unit that multiplies 16 rows of weights with 8 columns (wave.h, kHasQuadDots).
//
// A unit of work is a wave's: 16 rows times a chunk, the weights that four fragments of a row hold. quad_fragments.h multiplies
// them as integers, quad_integers.h those of some formats with several columns, quad_halves.h the rest as halves.
//
// Weights are copied to LDS behind the wave's back, kStages units ahead, and the first of them are on their way before anything
// else happens. Units of a row are added up in the order of chunks, so no result depends on how rows lie over waves, on Columns
// or on q: dense products, shared launches and experts have the same bits.
#pragma once

#include "formats/slice.h"
#include "quad_halves.h"
#include "quad_integers.h"

namespace ds4 {

inline constexpr int kQuadLds = 230000; // bytes of a multiprocessor's LDS that products may take

template <typename Fragment>
inline constexpr bool kUsesQuads = kHasQuadDots && (Fragment::kScaledHalves || Fragment::kIntegers) && Fragment::kPadding == 0;

template <typename Fragment, int K>
inline constexpr U64 kFragmentRowBytes = U64(K) / 32 / Fragment::kBlocks * (Fragment::kWords * 4 - Fragment::kPadding);

template <bool Integers, bool Shared, typename Fragment, int Columns, int K> struct QuadKind {
  using Type = QuadHalves<Fragment, Columns, K>;
};
template <typename Fragment, int Columns, int K> struct QuadKind<true, false, Fragment, Columns, K> {
  using Type = QuadFragments<Fragment, Columns, K>;
};
template <typename Fragment, int Columns, int K> struct QuadKind<true, true, Fragment, Columns, K> {
  using Type = QuadIntegers<Fragment, Columns, K>;
};
// Up to eight columns of K activations in LDS. What shares decoded weights has no place for a second scale of a block.
template <typename Fragment, int Columns, int K>
using QuadColumns = typename QuadKind<Fragment::kIntegers, (Columns > 1 && Fragment::kGroups == 1), Fragment, Columns, K>::Type;

// Chunks of activations from memory to LDS, in pieces that a workgroup's waves share: `from` says where one stands, `store` takes
// it. `meanwhile` runs once the first are asked for, before they are there. FromLast: where not all waves have as many, the last
// ones have more, instead of the first.
template <typename Activations, int Pieces, int Waves, bool FromLast, typename From, typename Store, typename Work>
DS4_DEVICE void convertPieces(From from, Store store, Work meanwhile) {
  constexpr int kTurns = (Pieces + Waves - 1) / Waves, kBatch = smaller(kTurns, 4); // of a wave, on their way together
  typename Activations::Values values[kBatch];
  const int first = FromLast ? Waves - 1 - wave() : wave();
  const auto forBatch = [&](int turn, auto work) {
#pragma unroll
    for (int i = 0; i < kBatch; ++i)
      if (const int piece = first + (turn + i) * Waves; Pieces % (Waves * kBatch) == 0 || piece < Pieces)
        work(values[i], piece);
  };
  const auto load = [&](typename Activations::Values &to, int piece) { Activations::loadChunk(to, from(piece)); };
  forBatch(0, load);
  meanwhile();
#pragma unroll 1
  for (int turn = 0;;) {
    forBatch(turn, store);
    turn += kBatch;
    if (turn >= kTurns)
      break;
    forBatch(turn, load);
  }
}

// All chunks of the columns; complete after a barrier. Columns beyond the step's repeat the last.
template <typename Fragment, int Columns, int Waves, int K, typename X, typename Work>
DS4_DEVICE void convertColumns(const QuadColumns<Fragment, Columns, K> &columns, const X *x, U32 stride, int q, Work meanwhile) {
  using Activations = QuadColumns<Fragment, Columns, K>;
  columns.prepare();
  convertPieces<Activations, Activations::kChunks * Columns, Waves, false>(
      [&](int piece) {
        return x + (Columns == 1 ? 0 : smaller(piece % Columns, q - 1)) * stride + piece / Columns * Activations::kChunk;
      },
      [&](const auto &values, int piece) { columns.storeChunk(values, piece / Columns, piece % Columns); }, meanwhile);
}

// Up to 16 consecutive rows of a matrix.
struct QuadTile {
  const Byte *rows; // null: left out
  int last;         // index of the last row that is there
};

// Tiles of 16 rows times columns, by all waves of a workgroup. A Source says which: tile(i) is the QuadTile, isThere(i) whether it
// is not left out, columns(i) what it meets, fragment(i) decodes it. Reserved: bytes of LDS that the workgroup uses beside it.
template <typename Fragment, int Columns, int Waves, int Tiles, int K, int Reserved = 0> struct QuadProduct {
  using Activations = QuadColumns<Fragment, Columns, K>;
  static constexpr int kChunks = Activations::kChunks, kUnits = Tiles * kChunks, kUnitsOfWave = (kUnits + Waves - 1) / Waves;
  static constexpr int kPieces = Fragment::kWords; // of 16 bytes, of a row's chunk
  static constexpr int kStageBytes = kPieces * 256;
  static constexpr int kRows = 16 * Tiles, kPartialBytes = kChunks * Columns * kRows * 4;
  static constexpr int kShare = Waves > 8 ? 1 : 2; // workgroups on a multiprocessor
  static constexpr int kRoom = smaller(2 * 73728 / kShare, kQuadLds / kShare - Reserved - Activations::kBytes - kPartialBytes);
  static constexpr int kStages = smaller(kUnitsOfWave, larger(1, kRoom / (Waves * kStageBytes)));
  // Stages asked for before the launch before has ended. Long rows keep a workgroup converting activations, and follow launches
  // that leave no room until they end: half of the weights are asked for behind the activations, which wait for what is before
  // them.
  static constexpr int kEarly = K > 4096 ? kStages / 2 : kStages;
  static constexpr int kStagingBytes = smaller(kUnits, Waves *kStages) * kStageBytes;
  static constexpr U32 kRowBytes = kFragmentRowBytes<Fragment, K>;

  Byte *staging;   // of the workgroup, kStagingBytes
  float *partials; // [chunk][column][row], kPartialBytes

  DS4_DEVICE_METHOD static int unit(int i) { return wave() + i * Waves; }
  DS4_DEVICE_METHOD static bool exists(int i) { return kUnits % Waves == 0 || unit(i) < kUnits; }
  // Mostly a wave has the same chunk of all its rows.
  DS4_DEVICE_METHOD static int chunkOf(int i) { return Waves % kChunks == 0 ? wave() % kChunks : unit(i) % kChunks; }
  DS4_DEVICE_METHOD static int tileOf(int i) {
    return Waves % kChunks == 0 ? i * (Waves / kChunks) + wave() / kChunks : unit(i) / kChunks;
  }

  // The pieces of a unit one after another; rows beyond `last` repeat it. Of 16 rows the offsets stay in registers.
  DS4_DEVICE_METHOD static void copyPiece(Byte *to, const Byte *from, int k, int last) {
    const int piece = k * kWaveSize + lane();
    if (kPieces % 2 == 0 || piece < 16 * kPieces)
      copyAsync(to + k * kWaveSize * 16, from + (smaller(piece / kPieces, last) * kRowBytes + piece % kPieces * 16));
  }
  DS4_DEVICE_METHOD static void copyPieces(Byte *to, const Byte *from, int last) {
    constexpr int kCopies = (16 * kPieces + kWaveSize - 1) / kWaveSize;
    if (last == 15)
#pragma unroll
      for (int k = 0; k < kCopies; ++k)
        copyPiece(to, from, k, 15);
    else
#pragma unroll 1
      for (int k = 0; k < kCopies; ++k)
        copyPiece(to, from, k, last);
  }
  template <typename Source> DS4_DEVICE_METHOD void fetch(const Source &source, int i, Byte *to) const {
    if (i < kUnitsOfWave && exists(i))
      if (const QuadTile tile = source.tile(tileOf(i)); tile.rows)
        copyPieces(to + lane() * 16, tile.rows + chunkOf(i) * (kPieces * 16), tile.last);
    commitCopies();
  }

  // The first weights on their way, stages `from` to `to`: they depend on nothing that the launch before makes, unless the source
  // does.
  template <typename Source> DS4_DEVICE_METHOD void begin(const Source &source, int from = 0, int to = kStages) const {
#pragma unroll 1 // code that runs once waits for itself
    for (int i = from; i < to; ++i)
      fetch(source, i, staging + (i * Waves + wave()) * kStageBytes);
  }

  // All units to the partial sums, after a barrier behind the columns' conversion; totals are there after another one.
  template <typename Source> DS4_DEVICE_METHOD void multiply(const Source &source) const {
    int stage = 0;
#pragma unroll 1
    for (int i = 0; i < kUnitsOfWave; ++i) {
      Byte *staged = staging + (stage * Waves + wave()) * kStageBytes;
      stage = stage + 1 < kStages ? stage + 1 : 0;
      awaitCopies<kStages - 1>();
      waveBarrier();
      if (exists(i))
        if (const int tile = tileOf(i), chunk = chunkOf(i); source.isThere(tile))
          source.columns(tile).multiply(source.fragment(tile), staged, chunk, [&](int row, int column, float sum) {
            partials[(chunk * Columns + column) * kRows + tile * 16 + row] = sum;
          });
      waveBarrier();
      fetch(source, i + kStages, staged);
    }
  }

  // Of row `row` of all tiles, without the fragment's unit.
  DS4_DEVICE_METHOD float total(int row, int column = 0) const {
    float sum = 0;
#pragma unroll
    for (int chunk = 0; chunk < kChunks; ++chunk)
      sum += partials[(chunk * Columns + column) * kRows + row];
    return sum;
  }
};

// Rows Rows * workgroup .. Rows * workgroup + Rows - 1 of the N of one matrix.
template <typename Fragment, int Columns, int Waves, int Rows, int N, int K> struct QuadRows {
  using Work = QuadProduct<Fragment, Columns, Waves, (Rows + 15) / 16, K>;
  using Activations = QuadColumns<Fragment, Columns, K>;
  static constexpr int kLdsBytes = Work::kStagingBytes + Activations::kBytes + Work::kPartialBytes;
  static_assert(!kUsesQuads<Fragment> || kLdsBytes <= 227 * 1024);

  const Fragment &decoder;
  Byte *lds;

  struct Source {
    const Fragment &decoder;
    const Byte *weights; // of the workgroup's rows
    int rows;            // there are from there on, at most Rows
    Activations activations;
    DS4_DEVICE_METHOD QuadTile tile(int i) const {
      return {isThere(i) ? weights + i * (16 * Work::kRowBytes) : nullptr, smaller(15, rows - 16 * i - 1)};
    }
    DS4_DEVICE_METHOD bool isThere(int i) const { return 16 * i < rows; }
    DS4_DEVICE_METHOD const Fragment &fragment(int) const { return decoder; }
    DS4_DEVICE_METHOD const Activations &columns(int) const { return activations; }
  };

  // x: floats or halves.
  template <typename X>
  DS4_DEVICE_METHOD void run(const void *weights, const X *x, U32 xStride, float *y, U32 yStride, int q, int workgroup) const {
    const int first = workgroup * Rows;
    const Source source{decoder,
                        static_cast<const Byte *>(weights) + U64(first) * Work::kRowBytes,
                        smaller(Rows, N - first),
                        {lds + Work::kStagingBytes}};
    const Work work{lds, reinterpret_cast<float *>(lds + Work::kStagingBytes + Activations::kBytes)};
    work.begin(source, 0, Work::kEarly);
    awaitPrevious();
    convertColumns<Fragment, Columns, Waves, K>(source.activations, x, xStride, q,
                                                [&] { work.begin(source, Work::kEarly, Work::kStages); });
    barrier();
    work.multiply(source);
    barrier();
#pragma unroll
    for (int at = threadIndex(); at < Rows * Columns; at += Waves * kWaveSize)
      if (const int row = at % Rows, column = at / Rows; row < source.rows && column < q)
        y[column * yStride + first + row] = work.total(row, column) * decoder.unit();
  }
};

} // namespace ds4
