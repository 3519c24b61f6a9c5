// Values of the double-precision reference: activations, weights and states. No MLIR.
//
// Everything is row-major and contiguous. A tensor of ids holds them as doubles (exact up to 2^53), so that one type
// serves every operand; padding is -1.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ds4::reference {

using Shape = std::vector<int64_t>;

int64_t elementCount(const Shape &shape);

// An activation, or ids. Owns its values.
struct Tensor {
  Shape shape;
  std::vector<double> values;

  Tensor() = default;
  explicit Tensor(Shape shape) : shape(std::move(shape)), values(elementCount(this->shape)) {}
  // Throws ds4::Error (Internal) when the number of values is not the shape's.
  Tensor(Shape shape, std::vector<double> values);

  int64_t tokens() const { return shape.front(); }
  int64_t columns() const { return shape.back(); } // of a row: the last dimension
  int64_t rows() const { return columns() == 0 ? 0 : static_cast<int64_t>(values.size()) / columns(); }
  std::span<double> row(int64_t i) { return {values.data() + i * columns(), static_cast<size_t>(columns())}; }
  std::span<const double> row(int64_t i) const { return {values.data() + i * columns(), static_cast<size_t>(columns())}; }
};

// A decoded weight; the values belong to the caller and must outlive it. An i32 table is given as floats, which hold
// its ids exactly. f32 is enough: every weight format decodes to values that f32 represents or defines.
struct Weight {
  Shape shape;
  std::span<const float> values;

  int64_t columns() const { return shape.back(); }
  int64_t rows() const { return static_cast<int64_t>(values.size()) / columns(); }
  std::span<const float> row(int64_t i) const { return values.subspan(i * columns(), columns()); }
};

enum class Element { F16, F32 };

// A state buffer [rows, columns], kept over steps. store() rounds to f32 and then to the element type, as the
// device does when it writes the buffer; reads give the rounded values.
class State {
public:
  State(int64_t rows, int64_t columns, Element element) : element_(element), data_({rows, columns}) {}

  int64_t rows() const { return data_.shape[0]; }
  int64_t columns() const { return data_.shape[1]; }
  Element element() const { return element_; }
  std::span<const double> row(int64_t i) const { return data_.row(i); }
  void store(int64_t row, int64_t column, double value);
  void storeRow(int64_t row, std::span<const double> values);
  // Back to the state before the first token: all zero.
  void reset() { data_.values.assign(data_.values.size(), 0.0); }

private:
  Element element_;
  Tensor data_;
};

} // namespace ds4::reference
