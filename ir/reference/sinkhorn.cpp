#include <algorithm>
#include <cmath>

#include "ir/reference/Math.h"
#include "ir/reference/Reference.h"

namespace ds4::reference {
namespace {

// A token's S x S matrix, row-major.
class Matrix {
public:
  Matrix(double *data, int64_t size) : data_(data), size_(size) {}

  void softmaxRows(double eps) {
    for (int64_t j = 0; j < size_; ++j) {
      std::span<double> row(data_ + j * size_, size_);
      double greatest = std::ranges::max(row), sum = 0;
      for (double &value : row)
        sum += value = std::exp(value - greatest);
      for (double &value : row)
        value = value / sum + eps;
    }
  }
  void normaliseRows(double eps) { normalise(1, size_, eps); }
  void normaliseColumns(double eps) { normalise(size_, 1, eps); }

private:
  void normalise(int64_t within, int64_t between, double eps) {
    for (int64_t line = 0; line < size_; ++line) {
      double sum = 0;
      for (int64_t i = 0; i < size_; ++i)
        sum += data_[line * between + i * within];
      for (int64_t i = 0; i < size_; ++i)
        data_[line * between + i * within] /= sum + eps;
    }
  }

  double *data_;
  int64_t size_;
};

} // namespace

Sinkhorn sinkhorn(const Tensor &c, int64_t iterations, double eps) {
  int64_t tokens = c.tokens(), streams = static_cast<int64_t>(std::lround(std::sqrt(c.columns() + 1.0))) - 1;
  require((2 + streams) * streams == c.columns(), "sinkhorn: (2 + S) * S coefficients");
  Sinkhorn out{Tensor({tokens, streams}), Tensor({tokens, streams}), Tensor({tokens, streams, streams})};
  for (int64_t t = 0; t < tokens; ++t) {
    std::span<const double> coefficients = c.row(t);
    for (int64_t i = 0; i < streams; ++i) {
      out.pre.row(t)[i] = sigmoid(coefficients[i]) + eps;
      out.post.row(t)[i] = 2 * sigmoid(coefficients[streams + i]);
    }
    double *data = out.comb.values.data() + t * streams * streams;
    std::ranges::copy(coefficients.subspan(2 * streams), data);
    Matrix comb(data, streams);
    comb.softmaxRows(eps);
    comb.normaliseColumns(eps);
    for (int64_t i = 1; i < iterations; ++i) {
      comb.normaliseRows(eps);
      comb.normaliseColumns(eps);
    }
  }
  return out;
}

Tensor continueSinkhorn(Tensor comb, int64_t rounds, double eps) {
  const int64_t streams = comb.shape.back();
  for (int64_t t = 0; t < comb.shape.front(); ++t) {
    Matrix matrix(comb.values.data() + t * streams * streams, streams);
    for (int64_t i = 0; i < rounds; ++i) {
      matrix.normaliseRows(eps);
      matrix.normaliseColumns(eps);
    }
  }
  return comb;
}

} // namespace ds4::reference
