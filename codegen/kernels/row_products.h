// Rows of a matrix times one token's activations, exact (row.h) or in half precision (product.h), for kernels that do more
// with a product than store it.
//
// Both have the same interface. A workgroup takes Inputs inputs of K values: begin() asks for them, then a barrier, convert(),
// and another barrier; these are needed where kConverts says so. Then a wave multiplies kGroupRows consecutive rows of a
// matrix (matrixOf()) with one of the inputs at a time. A row's product is in one lane: rowOf() says whose. LDS is the caller's:
// kInputBytes for the inputs, and kStagingBytes a wave for weights on their way, which several products may share.
#pragma once

#include "product.h"
#include "row.h"

namespace ds4 {

// One slice of a weight: its rows, and what decodes them. The slice is the same in all lanes.
template <typename Rows> struct Matrix {
  typename Rows::Reader reader;
  const Byte *rows;
};
template <typename Rows> DS4_DEVICE Matrix<Rows> matrixOf(const void *weight, int slices = 1, int slice = 0) {
  return {readerOf<typename Rows::Reader>(weight, slices * Rows::kMatrixBytes, slice),
          static_cast<const Byte *>(weight) + slice * Rows::kMatrixBytes};
}

template <typename Format, int Inputs, int N, int K, int Lanes> struct ExactRows {
  using Reader = Format;
  static constexpr bool kConverts = false, kQuads = false;
  static constexpr int kGroupRows = kWaveSize / Lanes, kInputBytes = 16, kStagingBytes = 16;
  static constexpr U64 kMatrixBytes = static_cast<U64>(N) * kRowBytes<Format, K>;
  const float *x;

  DS4_DEVICE_METHOD ExactRows(Byte *, Byte *) {}
  DS4_DEVICE_METHOD void begin(const float *inputs) { x = inputs; }
  DS4_DEVICE_METHOD void convert() {}
  // The row that rowOf(first) names; rows beyond the last repeat it.
  DS4_DEVICE_METHOD float multiply(const Matrix<ExactRows> &matrix, int first, int input) const {
    int start = smaller(first, N - 1), row = smaller(lane() / Lanes, N - 1 - start);
    const Byte *base = matrix.rows + start * kRowBytes<Format, K>;
    return sumLanes<Lanes>(
        partialDot<K, Lanes>(matrix.reader, base, static_cast<U32>(row * kRowBytes<Format, K>), x + input * K, lane() % Lanes));
  }
  // -1: none.
  DS4_DEVICE_METHOD static int rowOf(int first) {
    int row = first + lane() / Lanes;
    return lane() % Lanes == 0 && row < N ? row : -1;
  }
};

template <typename Fragment, int Inputs, int Tiles, int Waves, int N, int K> struct FastRows {
  using Reader = Fragment;
  static constexpr bool kQuads = kUsesQuads<Fragment>; // then this says no more than what Quads is of
  static constexpr int kMatrixRows = N;
  template <int QuadWaves, int QuadTiles, int Reserved = 0>
  using Quads = QuadProduct<Fragment, 1, QuadWaves, QuadTiles, K, Reserved>;
  template <int QuadWaves, typename Work>
  DS4_DEVICE_METHOD static void convertForQuads(const QuadColumns<Fragment, 1, K> &to, const float *x, Work meanwhile) {
    convertColumns<Fragment, 1, QuadWaves, K>(to, x, 0, 1, meanwhile);
  }
  using Columns = Product<Fragment, Inputs, 1, Waves, N, K>; // which decodes nothing
  using Column = Product<Fragment, 1, Tiles, Waves, N, K>;   // one of the inputs
  static constexpr bool kConverts = true;
  static constexpr int kGroupRows = Tiles * Column::kTileRows;
  static constexpr int kSlotBytes = (Waves * Inputs * 4 + 15) / 16 * 16;
  static constexpr int kInputBytes = Columns::kActivationBytes + kSlotBytes, kStagingBytes = Columns::kTileBytes;
  static constexpr U64 kMatrixBytes = Column::kBytes;
  static_assert(Tiles <= Column::kLanes, "a lane has one result");
  Columns columns;
  typename Columns::Values values[Columns::kOwnColumns];

  DS4_DEVICE_METHOD FastRows(Byte *inputs, Byte *staging)
      : columns{Fragment{}, inputs, staging, reinterpret_cast<float *>(inputs + Columns::kActivationBytes), nullptr, K, Inputs, 0} {
  }
  DS4_DEVICE_METHOD void begin(const float *inputs) {
    columns.x = inputs;
    columns.loadColumns(values);
  }
  DS4_DEVICE_METHOD void convert() { columns.storeColumns(values); }
  DS4_DEVICE_METHOD float multiply(const Matrix<FastRows> &matrix, int first, int input) const {
    Column column{matrix.reader,
                  columns.lds + input * Column::kColumnStride,
                  columns.staging,
                  nullptr,
                  nullptr,
                  K,
                  1,
                  readLane(columns.exponents, input)};
    float totals[Tiles] = {};
    column.addTiles(totals, matrix.rows, first / Column::kTileRows);
    column.finish(totals);
    return totals[0];
  }
  DS4_DEVICE_METHOD static int rowOf(int first) {
    int row = Column::rowOf(0, first / Column::kTileRows);
    return Column::valueOf(0) < Tiles && row < N ? row : -1;
  }
};

// Zeros for rows `first` .. `first + Rows - 1` of the N at y; a thread takes one at most.
template <int Rows, int N> DS4_DEVICE void clearRows(float *y, int first) {
  int row = first + threadIndex();
  if (threadIndex() < Rows && row < N)
    y[row] = 0;
}

} // namespace ds4
