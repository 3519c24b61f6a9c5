#include "tests/kernels/Data.h"

#include <cstring>
#include <stdexcept>

namespace ds4::test {

using namespace reference;

uint64_t Random::next() {
  uint64_t z = state_ += 0x9E3779B97F4A7C15;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
  z = (z ^ z >> 27) * 0x94D049BB133111EB;
  return z ^ z >> 31;
}

double Random::uniform(double from, double to) { return from + (to - from) * static_cast<double>(next() >> 11) * 0x1p-53; }

double Random::normal() {
  double sum = -6;
  for (int i = 0; i < 12; ++i)
    sum += uniform();
  return sum;
}

std::vector<float> normals(size_t count, uint64_t seed, double scale) {
  Random random(seed);
  std::vector<float> values(count);
  for (float &value : values)
    value = static_cast<float>(scale * random.normal());
  return values;
}

std::vector<float> uniforms(size_t count, uint64_t seed, double from, double to) {
  Random random(seed);
  std::vector<float> values(count);
  for (float &value : values)
    value = static_cast<float>(random.uniform(from, to));
  return values;
}

template <typename T> static void append(std::vector<std::byte> &bytes, T value) {
  const auto *from = reinterpret_cast<const std::byte *>(&value);
  bytes.insert(bytes.end(), from, from + sizeof value);
}

WeightData encodeWeight(const std::string &format, Shape shape, std::vector<float> values) {
  WeightData weight{std::move(shape), {}, std::move(values)};
  for (float &value : weight.values) {
    if (format == "f16") {
      auto half = static_cast<_Float16>(value);
      append(weight.bytes, half);
      value = static_cast<float>(half);
    } else {
      append(weight.bytes, value);
    }
  }
  return weight;
}

// Blocks of random scale and random bytes, all values of a byte among them.
static WeightData randomQ8(Shape shape, uint64_t seed, double scale) {
  Random random(seed);
  WeightData weight{std::move(shape), {}, {}};
  for (int64_t block = 0; block < elementCount(weight.shape) / 32; ++block) {
    auto d = static_cast<_Float16>(scale / 64 * random.uniform(0.5, 1.5));
    append(weight.bytes, d);
    for (int i = 0; i < 32; ++i) {
      auto byte = static_cast<int8_t>(random.next());
      append(weight.bytes, byte);
      weight.values.push_back(static_cast<float>(d) * static_cast<float>(byte));
    }
  }
  return weight;
}

WeightData randomWeight(const std::string &format, Shape shape, uint64_t seed, double scale) {
  if (format == "q8_0")
    return randomQ8(std::move(shape), seed, scale);
  size_t count = elementCount(shape);
  return encodeWeight(format, std::move(shape), normals(count, seed, scale));
}

Element elementOf(const std::string &format) { return format == "f16" ? Element::F16 : Element::F32; }

State randomState(int64_t rows, int64_t columns, const std::string &element, uint64_t seed, double scale) {
  State state(rows, columns, elementOf(element));
  std::vector<float> values = normals(rows * columns, seed, scale);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      state.store(row, column, values[row * columns + column]);
  return state;
}

std::vector<std::byte> bytesOf(const State &state) {
  std::vector<std::byte> bytes;
  for (int64_t row = 0; row < state.rows(); ++row)
    for (double value : state.row(row)) {
      if (state.element() == Element::F16)
        append(bytes, static_cast<_Float16>(value));
      else
        append(bytes, static_cast<float>(value));
    }
  return bytes;
}

State stateOf(const std::vector<std::byte> &bytes, int64_t rows, int64_t columns, const std::string &element) {
  State state(rows, columns, elementOf(element));
  const std::byte *at = bytes.data();
  auto next = [&]<typename T>(T value) {
    std::memcpy(&value, at, sizeof value);
    at += sizeof value;
    return static_cast<double>(value);
  };
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      state.store(row, column, state.element() == Element::F16 ? next(_Float16()) : next(float()));
  return state;
}

template <typename T> static Tensor toTensor(Shape shape, const std::vector<T> &values) {
  return Tensor(std::move(shape), std::vector<double>(values.begin(), values.end()));
}
Tensor tensor(Shape shape, const std::vector<float> &values) { return toTensor(std::move(shape), values); }
Tensor tensor(Shape shape, const std::vector<int> &values) { return toTensor(std::move(shape), values); }

} // namespace ds4::test
