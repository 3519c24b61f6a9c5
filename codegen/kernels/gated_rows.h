// The hidden activations of an expert: gate and up products of one input, joined before they leave their registers.
#pragma once

#include "row_products.h"
#include "swiglu.h"

namespace ds4 {

// The same rows of both matrices, for quad_product.h: the gate's tiles, then the up matrix's.
template <typename Rows, int WaveRows, int Waves> struct GatedQuads {
  static constexpr int kRows = WaveRows * Waves, kTiles = (kRows + 15) / 16;
  using Product = typename Rows::template Quads<Waves, 2 * kTiles>;
  using Activations = typename Product::Activations;
  struct Lds {
    alignas(16) Byte staging[Product::kStagingBytes];
    Byte columns[Activations::kBytes];
    float partials[Product::kPartialBytes / 4];
  };

  const Matrix<Rows> &gate, &up;
  int first, rows; // the workgroup's first row, and how many there are from there on
  Activations activations;

  DS4_DEVICE_METHOD QuadTile tile(int i) const {
    const int row = i % kTiles * 16;
    return {isThere(i) ? (i < kTiles ? gate : up).rows + U64(first + row) * Product::kRowBytes : nullptr,
            smaller(15, rows - row - 1)};
  }
  DS4_DEVICE_METHOD bool isThere(int i) const { return i % kTiles * 16 < rows; }
  DS4_DEVICE_METHOD typename Rows::Reader fragment(int i) const {
    typename Rows::Reader reader = gate.reader;
    if (i >= kTiles)
      reader = up.reader;
    return reader;
  }
  DS4_DEVICE_METHOD const Activations &columns(int) const { return activations; }

  template <bool WeightsFirst>
  DS4_DEVICE_METHOD static void run(Lds &lds, int first, float limit, const float *x, const Matrix<Rows> &gate,
                                    const Matrix<Rows> &up, float *h) {
    const GatedQuads source{gate, up, first, smaller(kRows, Rows::kMatrixRows - first), {lds.columns}};
    const Product product{lds.staging, lds.partials};
    constexpr int kEarly = WeightsFirst ? Product::kEarly : 0;
    product.begin(source, 0, kEarly);
    awaitPrevious();
    Rows::template convertForQuads<Waves>(source.activations, x, [&] { product.begin(source, kEarly, Product::kStages); });
    barrier();
    product.multiply(source);
    barrier();
    static_assert(WaveRows <= kWaveSize);
    if (const int row = threadIndex(); row < source.rows)
      h[first + row] =
          gatedUnit(limit, product.total(row) * gate.reader.unit(), product.total(kTiles * 16 + row) * up.reader.unit());
  }
};

template <typename Rows, int WaveRows, int Waves, bool Quads = Rows::kQuads> struct GatedLds {
  alignas(16) Byte inputs[Rows::kInputBytes];
  alignas(16) Byte staging[Waves][Rows::kStagingBytes];
};
template <typename Rows, int WaveRows, int Waves>
struct GatedLds<Rows, WaveRows, Waves, true> : GatedQuads<Rows, WaveRows, Waves>::Lds {};

// Rows of workgroup `block`, WaveRows a wave: silu(min(gate, limit)) * clamp(up, -limit, limit), with x the input of both.
// Waited: the launch before has been waited for, so x is asked for before weights.
template <typename Rows, int WaveRows, int Waves, bool Waited = false>
DS4_DEVICE void gatedRows(int block, float limit, const float *x, const Matrix<Rows> &gate, const Matrix<Rows> &up, float *h) {
  static_assert(WaveRows % Rows::kGroupRows == 0);
  auto &lds = workgroupLds<GatedLds<Rows, WaveRows, Waves>>();
  if constexpr (Rows::kQuads) {
    GatedQuads<Rows, WaveRows, Waves>::template run<!Waited>(lds, block * (Waves * WaveRows), limit, x, gate, up, h);
  } else {
    awaitPrevious();
    Rows rows(lds.inputs, lds.staging[wave()]);
    rows.begin(x);
    if constexpr (Rows::kConverts)
      barrier();
    rows.convert();
    if constexpr (Rows::kConverts)
      barrier();
    int begin = (block * Waves + wave()) * WaveRows;
#pragma unroll 1
    for (int first = begin; first < begin + WaveRows; first += Rows::kGroupRows) {
      float gated = rows.multiply(gate, first, 0), upper = rows.multiply(up, first, 0);
      if (int row = Rows::rowOf(first); row >= 0)
        h[row] = gatedUnit(limit, gated, upper);
    }
  }
}

} // namespace ds4
