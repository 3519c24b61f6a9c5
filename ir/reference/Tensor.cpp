#include "ir/reference/Tensor.h"

#include "ir/reference/Math.h"
#include "support/Half.h"

namespace ds4::reference {

int64_t elementCount(const Shape &shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

Tensor::Tensor(Shape shapeOfValues, std::vector<double> valuesOfShape)
    : shape(std::move(shapeOfValues)), values(std::move(valuesOfShape)) {
  require(static_cast<int64_t>(values.size()) == elementCount(shape), "a tensor has as many values as its shape tells");
}

void State::store(int64_t row, int64_t column, double value) {
  require(row >= 0 && row < rows(), "a state row lies within the state");
  float single = static_cast<float>(value);
  data_.row(row)[column] = element_ == Element::F16 ? halfToFloat(floatToHalf(single)) : single;
}

void State::storeRow(int64_t row, std::span<const double> values) {
  require(static_cast<int64_t>(values.size()) == columns(), "a state row is as wide as the state");
  for (int64_t column = 0; column < columns(); ++column)
    store(row, column, values[column]);
}

} // namespace ds4::reference
