#include <algorithm>
#include <cmath>
#include <limits>

#include "ir/reference/Math.h"
#include "ir/reference/Reference.h"

namespace ds4::reference {
namespace {

// One channel's running softmax-weighted mean.
struct Pool {
  double greatest = -std::numeric_limits<double>::infinity(), sum = 0, weighted = 0;

  void add(double value, double gate) {
    double next = std::max(greatest, gate);
    double keep = std::exp(greatest - next), weight = std::exp(gate - next);
    sum = sum * keep + weight;
    weighted = weighted * keep + weight * value;
    greatest = next;
  }
};

// Pools `half` (0 or 1) of the tokens first..first + ratio - 1 into one accumulator a channel.
void poolWindow(std::vector<Pool> &pools, const State &open, int64_t first, int64_t ratio, int64_t half) {
  int64_t gateOffset = open.columns() / 2, dim = static_cast<int64_t>(pools.size());
  for (int64_t position = first; position < first + ratio; ++position) {
    std::span<const double> row = open.row(position % open.rows());
    for (int64_t i = 0; i < dim; ++i)
      pools[i].add(row[half * dim + i], row[gateOffset + half * dim + i]);
  }
}

} // namespace

void compress(State &open, State &rows, const Tensor &kv, const Tensor &gate, const Weight &ape, const Weight &norm, int64_t pos,
              int64_t ratio, double eps, std::span<const float> frequencies) {
  int64_t width = kv.columns(), dim = rows.columns();
  bool overlapping = width == 2 * dim;
  require(overlapping || width == dim, "compress: W is d or 2 d");
  require(open.columns() == 2 * width && ape.columns() == width && norm.columns() == dim, "compress: shapes agree");
  require(open.rows() >= (overlapping ? 2 : 1) * ratio, "compress: the open ring holds the pooled tokens");
  for (int64_t t = 0; t < kv.tokens(); ++t) {
    int64_t position = pos + t, slot = position % open.rows();
    for (int64_t i = 0; i < width; ++i) {
      open.store(slot, i, kv.row(t)[i]);
      open.store(slot, width + i, gate.row(t)[i] + ape.row(position % ratio)[i]);
    }
    if ((position + 1) % ratio != 0)
      continue;
    int64_t window = position / ratio;
    std::vector<Pool> pools(dim);
    if (overlapping && window > 0)
      poolWindow(pools, open, (window - 1) * ratio, ratio, 0);
    poolWindow(pools, open, window * ratio, ratio, overlapping ? 1 : 0);
    Tensor row({1, dim});
    std::ranges::transform(pools, row.values.begin(), [](const Pool &pool) { return pool.weighted / pool.sum; });
    row = rmsNorm(row, norm, eps);
    rotate(row.row(0), static_cast<double>(window * ratio), frequencies, false);
    rows.storeRow(window, row.row(0));
  }
}

} // namespace ds4::reference
