// Products of a workgroup's rows of several matrices, each with an input of its own, left in LDS: by quads (quad_product.h), or
// wave by wave (row_products.h) for formats that quads do not take.
//
// choose() for every slot, a barrier, begin(), chooseReader() for every slot, take(), a barrier, convert(), a barrier, multiply(),
// a barrier; then total(). From begin() on weights are on their way, from take() on the inputs.
#pragma once

#include "row_products.h"

namespace ds4 {

// Reserved: bytes of LDS that the workgroup uses beside these.
template <typename Rows, int Slots, int WaveRows, int Waves, int Reserved = 0, bool Quads = Rows::kQuads> class SlotProducts {
  static_assert(WaveRows % Rows::kGroupRows == 0);

public:
  struct Lds {
    alignas(16) Byte inputs[Rows::kInputBytes];
    alignas(16) Byte staging[Waves][Rows::kStagingBytes];
    float products[Slots][Waves * WaveRows];
    Matrix<Rows> matrices[Slots]; // without rows: left out
  };

  DS4_DEVICE_METHOD SlotProducts(Lds &given, int firstRow) : lds(given), first(firstRow), rows(lds.inputs, lds.staging[wave()]) {}
  // By one thread; rows of null: left out.
  DS4_DEVICE_METHOD void choose(int slot, const Byte *matrix) { lds.matrices[slot].rows = matrix; }
  DS4_DEVICE_METHOD void chooseReader(int slot, const typename Rows::Reader &reader) { lds.matrices[slot].reader = reader; }
  DS4_DEVICE_METHOD bool isUsed(int slot) const { return lds.matrices[slot].rows; }
  DS4_DEVICE_METHOD void begin() const {}
  DS4_DEVICE_METHOD void beginRest() const {}
  DS4_DEVICE_METHOD void take(const float *inputs) { rows.begin(inputs); }
  template <bool FromLast, typename Work> DS4_DEVICE_METHOD void convert(Work meanwhile) {
    meanwhile();
    rows.convert();
  }
  DS4_DEVICE_METHOD void multiply() const {
    const int from = first + wave() * WaveRows;
#pragma unroll 1
    for (int slot = 0; slot < Slots; ++slot)
      if (isUsed(slot)) {
        const Matrix<Rows> matrix = lds.matrices[slot];
#pragma unroll 1
        for (int group = from; group < from + WaveRows; group += Rows::kGroupRows) {
          const float product = rows.multiply(matrix, group, slot);
          if (const int row = Rows::rowOf(group); row >= 0)
            lds.products[slot][row - first] = product;
        }
      }
  }
  DS4_DEVICE_METHOD float total(int slot, int row) const { return lds.products[slot][row]; }

private:
  Lds &lds;
  int first;
  Rows rows;
};

template <typename Rows, int Slots, int WaveRows, int Waves, int Reserved>
class SlotProducts<Rows, Slots, WaveRows, Waves, Reserved, true> {
  static constexpr int kRows = WaveRows * Waves, kTiles = (kRows + 15) / 16;
  using Activations = typename Rows::template Quads<Waves, Slots * kTiles>::Activations;
  using Product = typename Rows::template Quads<Waves, Slots * kTiles, Reserved + (Slots - 1) * Activations::kBytes>;
  static constexpr int kEarly = (Product::kStages + 1) / 2; // of the stages, as of long rows

public:
  struct Lds {
    alignas(16) Byte staging[Product::kStagingBytes];
    alignas(16) Byte columns[Slots][Activations::kBytes];
    float partials[Product::kPartialBytes / 4];
    Matrix<Rows> matrices[Slots]; // from the workgroup's first row on; without rows: left out
  };

  DS4_DEVICE_METHOD SlotProducts(Lds &given, int firstRow)
      : lds(given), first(firstRow), rows(smaller(kRows, Rows::kMatrixRows - firstRow)) {}
  DS4_DEVICE_METHOD void choose(int slot, const Byte *matrix) {
    lds.matrices[slot].rows = matrix ? matrix + U64(first) * Product::kRowBytes : nullptr;
  }
  DS4_DEVICE_METHOD void chooseReader(int slot, const typename Rows::Reader &reader) { lds.matrices[slot].reader = reader; }
  DS4_DEVICE_METHOD bool isUsed(int slot) const { return lds.matrices[slot].rows; }
  DS4_DEVICE_METHOD void begin() const { product().begin(*this, 0, kEarly); }
  DS4_DEVICE_METHOD void beginRest() const { product().begin(*this, kEarly, Product::kStages); }
  DS4_DEVICE_METHOD void take(const float *given) { inputs = given; }
  // As convertPieces().
  template <bool FromLast, typename Work> DS4_DEVICE_METHOD void convert(Work meanwhile) const {
#pragma unroll
    for (int slot = 0; slot < Slots; ++slot)
      Activations{lds.columns[slot]}.prepare();
    constexpr int kChunks = Activations::kChunks, kPieces = Slots * kChunks;
    convertPieces<Activations, kPieces, Waves, FromLast>(
        [&](int piece) { return inputs + piece * Activations::kChunk; },
        [&](const auto &values, int piece) { Activations{lds.columns[piece / kChunks]}.storeChunk(values, piece % kChunks, 0); },
        meanwhile);
  }
  DS4_DEVICE_METHOD void multiply() const { product().multiply(*this); }
  DS4_DEVICE_METHOD float total(int slot, int row) const {
    return product().total(slot * (16 * kTiles) + row) * lds.matrices[slot].reader.unit();
  }

  // As the Source of the product.
  DS4_DEVICE_METHOD QuadTile tile(int i) const {
    const int row = i % kTiles * 16;
    const Byte *from = lds.matrices[i / kTiles].rows;
    return {from && row < rows ? from + row * Product::kRowBytes : nullptr, smaller(15, rows - row - 1)};
  }
  DS4_DEVICE_METHOD bool isThere(int i) const { return tile(i).rows; }
  DS4_DEVICE_METHOD typename Rows::Reader fragment(int i) const { return lds.matrices[i / kTiles].reader; }
  DS4_DEVICE_METHOD Activations columns(int i) const { return {lds.columns[i / kTiles]}; }

private:
  DS4_DEVICE_METHOD Product product() const { return {lds.staging, lds.partials}; }

  Lds &lds;
  int first, rows;
  const float *inputs = nullptr;
};

} // namespace ds4
