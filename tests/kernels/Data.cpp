#include "tests/kernels/Data.h"

#include <cstring>
#include <map>
#include <stdexcept>

#include "models/formats/Format.h"

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
  const Format &encoding = *findFormatByName(format);
  WeightData weight{std::move(shape), std::vector<std::byte>(encoding.rowBytes(values.size())), std::move(values)};
  encoding.encode(weight.values, {}, weight.bytes);
  encoding.decode(weight.bytes, weight.values);
  return weight;
}

// Where a block's scales stand: half-precision numbers and bytes.
struct ScalePlaces {
  std::vector<size_t> halves, bytes;
};
static const std::map<std::string, ScalePlaces> kScalePlaces{
    {"q8_0", {{0}, {}}},         {"q4_0", {{0}, {}}},       {"q2_k", {{80, 82}, {}}},   {"q3_k", {{108}, {}}},
    {"q4_k", {{0, 2}, {}}},      {"q5_k", {{0, 2}, {}}},    {"q6_k", {{208}, {}}},      {"iq2_xxs", {{0}, {}}},
    {"iq3_xxs", {{0}, {}}},      {"iq4_xs", {{0}, {}}},     {"mxfp4", {{}, {0}}},       {"rocmfp2", {{}, {8, 9}}},
    {"rocmfp2_affine", {{}, {8, 9}}}, {"rocmfp2_s40", {{}, {8, 9}}}, {"rocmfp3", {{}, {12, 13}}}, {"rocmfp4", {{}, {16, 17}}},
    {"rocmfp4_fast", {{}, {16}}}, {"rocmfp6", {{}, {24, 25}}}, {"rocmfp8", {{}, {32}}},
};

WeightData blocksOf(const std::string &format, Shape shape, const std::function<void(std::span<std::byte>)> &fill) {
  const Format &encoding = *findFormatByName(format);
  WeightData weight{std::move(shape), {}, {}};
  weight.values.resize(elementCount(weight.shape));
  weight.bytes.resize(encoding.rowBytes(weight.values.size()));
  for (size_t at = 0; at < weight.bytes.size(); at += encoding.blockBytes)
    fill(std::span(weight.bytes).subspan(at, encoding.blockBytes));
  encoding.decode(weight.bytes, weight.values);
  return weight;
}

void setScales(const std::string &format, std::span<std::byte> block, const std::function<float()> &half,
               const std::function<int()> &byte) {
  for (size_t at : kScalePlaces.at(format).halves) {
    auto value = static_cast<_Float16>(half());
    std::memcpy(block.data() + at, &value, sizeof value);
  }
  for (size_t at : kScalePlaces.at(format).bytes)
    block[at] = static_cast<std::byte>(byte());
}

WeightData randomWeight(const std::string &format, Shape shape, uint64_t seed, double scale) {
  size_t count = elementCount(shape);
  if (!kScalePlaces.contains(format))
    return encodeWeight(format, std::move(shape), normals(count, seed, scale));
  Random random(seed);
  return blocksOf(format, std::move(shape), [&](std::span<std::byte> block) {
    for (std::byte &byte : block)
      byte = static_cast<std::byte>(random.next());
    setScales(format, block, [&] { return static_cast<float>(scale / 64 * random.uniform(0.5, 1.5)); },
              [&] { return format == "mxfp4" ? 120 + random.below(12) : 40 + random.below(40); });
  });
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
