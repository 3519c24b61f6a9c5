// Tokens of a step that chose the same expert share its weights: which slots those are, and products with up to four of their
// inputs at a time, each weight decoded once for all of them.
//
// A column of such a product has the bits of a product with its input alone (product.h), so a token's result does not depend on
// what the others chose.
#pragma once

#include "row_products.h"
#include "step.h"
#include "swiglu.h"

namespace ds4 {

// Slots as bits, in order; the same in all lanes.
template <int Words> struct SlotSet {
  U32 words[Words];

  DS4_DEVICE_METHOD bool any() const {
    U32 all = 0;
#pragma unroll
    for (int w = 0; w < Words; ++w)
      all |= words[w];
    return all != 0;
  }
  // Slots may differ between lanes.
  DS4_DEVICE_METHOD bool has(int slot) const {
    U32 word = words[0];
#pragma unroll
    for (int w = 1; w < Words; ++w)
      word = slot / kWaveSize == w ? words[w] : word;
    return word >> slot % kWaveSize & 1;
  }
  // The first slot, which is no longer one of the set; of a set that is not empty.
  DS4_DEVICE_METHOD int takeFirst() {
    int first = -1;
#pragma unroll
    for (int w = 0; w < Words; ++w)
      if (first < 0 && words[w] != 0) {
        first = w * kWaveSize + lowestBit(words[w]);
        words[w] &= words[w] - 1;
      }
    return first;
  }
};

// Up to four slots as bytes; the last is repeated.
struct ColumnSlots {
  U32 slots = 0;
  int count = 0;
  DS4_DEVICE_METHOD int of(int column) const { return static_cast<int>(slots >> column * 8 & 255); }
};
template <int Most, int Words> DS4_DEVICE ColumnSlots takeColumns(SlotSet<Words> &set) {
  ColumnSlots taken;
  int slot = 0;
#pragma unroll
  for (int column = 0; column < Most; ++column) {
    if (set.any()) {
      slot = set.takeFirst();
      ++taken.count;
    }
    taken.slots |= static_cast<U32>(slot) << column * 8;
  }
  return taken;
}

// The slots of a step by expert. One of weight 0, or whose id is outside 0..Experts-1, belongs to none.
template <int Experts, int Used> struct ExpertSlots {
  static constexpr int kWords = (kMaxWidth * Used + kWaveSize - 1) / kWaveSize;
  static_assert(kMaxWidth * Used <= 256, "a slot is a byte");
  int expert[kWords]; // of this lane's slots, -1: none

  DS4_DEVICE_METHOD ExpertSlots(const int *ids, const float *weights, int slots) {
#pragma unroll
    for (int w = 0; w < kWords; ++w) {
      int slot = w * kWaveSize + lane(), id = -1;
      if (slot < slots && weights[slot] != 0)
        id = ids[slot];
      expert[w] = id < Experts ? id : -1;
    }
  }
  DS4_DEVICE_METHOD SlotSet<kWords> slotsOf(int wanted) const {
    SlotSet<kWords> set;
#pragma unroll
    for (int w = 0; w < kWords; ++w)
      set.words[w] = ballot(expert[w] == wanted);
    return set;
  }
  DS4_DEVICE_METHOD SlotSet<kWords> used() const {
    SlotSet<kWords> set;
#pragma unroll
    for (int w = 0; w < kWords; ++w)
      set.words[w] = ballot(expert[w] >= 0);
    return set;
  }
  // Of a slot that all lanes name.
  DS4_DEVICE_METHOD int expertOf(int slot) const {
    int found = -1;
#pragma unroll
    for (int w = 0; w < kWords; ++w)
      if (slot / kWaveSize == w)
        found = readLane(expert[w], slot % kWaveSize);
    return found;
  }
};

template <int Count> struct ColumnCount {
  static constexpr int kCount = Count;
};
// Calls work with the least number of columns, 1, 2 or 4 and at most Most, that holds `count` tokens.
template <int Most, typename Work> DS4_DEVICE void withColumns(int count, Work work) {
  if constexpr (Most >= 4)
    if (count > 2)
      return work(ColumnCount<4>());
  if constexpr (Most >= 2)
    if (count > 1)
      return work(ColumnCount<2>());
  work(ColumnCount<1>());
}

// Products of a matrix with 1, 2 or 4 inputs. Chosen: inputs that ColumnSlots names, else `count` from x on.
template <typename Fragment, int MostColumns, int Tiles, int Waves, int N, int K, bool Chosen> struct ColumnRows {
  using Reader = Fragment;
  template <int Columns> using Of = Product<Fragment, Columns, Tiles, Waves, N, K, float, Chosen>;
  static constexpr int kMost = MostColumns, kTiles = Tiles, kGroupRows = Tiles * Of<1>::kTileRows;
  static constexpr int kInputBytes = Of<kMost>::kActivationBytes, kStagingBytes = Of<1>::kTileBytes;
  static constexpr U64 kMatrixBytes = Of<1>::kBytes;

  // After the barriers in it, the inputs are in LDS; all threads call it.
  template <int Columns>
  DS4_DEVICE_METHOD static Of<Columns> begin(Byte *inputs, Byte *staging, float *slots, const float *x, ColumnSlots columns) {
    Of<Columns> product{Fragment{}, inputs, staging, slots, x, K, columns.count, 0, columns.slots};
    typename Of<Columns>::Values values[Of<Columns>::kOwnColumns];
    product.loadColumns(values);
    barrier();
    product.storeColumns(values);
    barrier();
    return product;
  }
  // Rows of Tiles tiles from `tile` on; the results as Product::finish() leaves them.
  template <int Columns>
  DS4_DEVICE_METHOD static void multiply(float (&totals)[Tiles * Columns], const Of<Columns> &begun,
                                         const Matrix<ColumnRows> &matrix, int tile) {
    Of<Columns> product = begun;
    product.fragment = matrix.reader;
#pragma unroll
    for (int i = 0; i < Tiles * Columns; ++i)
      totals[i] = 0;
    product.addTiles(totals, matrix.rows, tile);
    product.finish(totals);
  }
  // Calls work(column, row, i) for each result i of this lane that is one.
  template <int Columns, typename Work> DS4_DEVICE_METHOD static void forResults(int count, int tile, Work work) {
#pragma unroll
    for (int i = 0; i < Of<Columns>::kEach; ++i) {
      int column = Of<Columns>::valueOf(i) % Columns, row = Of<Columns>::rowOf(i, tile);
      if (Of<Columns>::valueOf(i) < Of<Columns>::kCount && column < count && row < N)
        work(column, row, i);
    }
  }
};

template <typename Rows, int Waves> struct ColumnLds {
  alignas(16) Byte inputs[Rows::kInputBytes];
  alignas(16) Byte staging[Waves][Rows::kStagingBytes];
  float slots[Waves * Rows::kMost];
};

// gatedRows() for several tokens: rows of workgroup `block`, WaveTiles tiles a wave, of gate and up. `store` gets a token's column,
// the row and the hidden activation.
template <typename Rows, int WaveTiles, int Waves, typename Store>
DS4_DEVICE void gatedColumns(int block, float limit, const float *x, ColumnSlots columns, const Matrix<Rows> &gate,
                             const Matrix<Rows> &up, Store store) {
  static_assert(WaveTiles % Rows::kTiles == 0);
  auto &lds = workgroupLds<ColumnLds<Rows, Waves>>();
  withColumns<Rows::kMost>(columns.count, [&](auto width) {
    constexpr int kColumns = decltype(width)::kCount;
    const auto product = Rows::template begin<kColumns>(lds.inputs, lds.staging[wave()], lds.slots, x, columns);
    int begin = (block * Waves + wave()) * WaveTiles;
#pragma unroll 1
    for (int tile = begin; tile < begin + WaveTiles; tile += Rows::kTiles) {
      float gated[Rows::kTiles * kColumns], upper[Rows::kTiles * kColumns];
      Rows::template multiply<kColumns>(gated, product, gate, tile);
      Rows::template multiply<kColumns>(upper, product, up, tile);
      Rows::template forResults<kColumns>(
          columns.count, tile, [&](int column, int row, int i) { store(column, row, gatedUnit(limit, gated[i], upper[i])); });
    }
  });
}

} // namespace ds4
