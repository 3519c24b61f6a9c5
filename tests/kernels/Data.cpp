#include "tests/kernels/Data.h"

#include <cmath>
#include <cstring>
#include <map>
#include <stdexcept>

#include "support/Half.h"
#include "tests/kernels/MixData.h"

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

std::vector<int> randomIds(size_t count, uint64_t seed, int limit) {
  Random random(seed);
  std::vector<int> ids(count);
  for (int &id : ids)
    id = random.below(limit);
  return ids;
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
    {"q8_0", {{0}, {}}},
    {"q4_0", {{0}, {}}},
    {"q2_k", {{80, 82}, {}}},
    {"q3_k", {{108}, {}}},
    {"q4_k", {{0, 2}, {}}},
    {"q5_k", {{0, 2}, {}}},
    {"q6_k", {{208}, {}}},
    {"iq2_xxs", {{0}, {}}},
    {"iq3_xxs", {{0}, {}}},
    {"iq4_xs", {{0}, {}}},
    {"mxfp4", {{}, {0}}},
    {"rocmfp2", {{}, {8, 9}}},
    {"rocmfp2_affine", {{}, {8, 9}}},
    {"rocmfp2_s40", {{}, {8, 9}}},
    {"rocmfp3", {{}, {12, 13}}},
    {"rocmfp4", {{}, {16, 17}}},
    {"rocmfp2_mix", {{}, {8, 9}}},
    {"rocmfp3_mix", {{}, {12, 13}}},
    {"rocmfp4_fast", {{}, {16}}},
    {"rocmfp6", {{}, {24, 25}}},
    {"rocmfp8", {{}, {32}}},
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

void appendLevels(WeightData &weight, const std::string &format, const std::vector<MixSlice> &slices) {
  const Format &encoding = *findFormatByName(format);
  const size_t blockBytes = weight.bytes.size(), bytes = blockBytes / slices.size(), values = weight.values.size() / slices.size();
  weight.bytes.resize(mixLevelsOffset(blockBytes) + slices.size() * sizeof(MixLevels));
  for (size_t i = 0; i < slices.size(); ++i) {
    decodeMix(encoding, slices[i], std::span(weight.bytes).subspan(i * bytes, bytes),
              std::span(weight.values).subspan(i * values, values));
    const MixLevels levels = deviceLevels(encoding, slices[i]);
    std::memcpy(weight.bytes.data() + mixLevelsOffset(blockBytes) + i * sizeof levels, &levels, sizeof levels);
  }
}

WeightData randomMix(const std::string &format, Shape shape, uint64_t seed) {
  Random random(seed);
  std::vector<MixSlice> slices(shape.size() == 3 ? shape[0] : 1);
  for (size_t i = 0; i < slices.size(); ++i) {
    slices[i].adaptive = i % 3 != 2;
    for (auto &codebook : slices[i].codebooks)
      for (float &level : codebook)
        level = bfloat16ToFloat(floatToBfloat16(static_cast<float>(4 * random.normal())));
  }
  const size_t blocks = elementCount(shape) / 32, ofSlice = blocks / slices.size();
  size_t block = 0;
  WeightData weight = blocksOf(format, std::move(shape), [&](std::span<std::byte> bytes) {
    for (std::byte &byte : bytes)
      byte = static_cast<std::byte>(random.next());
    const bool adaptive = slices[block++ / ofSlice].adaptive;
    setScales(format, bytes, [] { return 0.0f; }, [&] { return 40 + random.below(40) + (adaptive ? random.below(2) * 128 : 0); });
  });
  appendLevels(weight, format, slices);
  return weight;
}

WeightData randomWeight(const std::string &format, Shape shape, uint64_t seed, double scale) {
  if (isMix(*findFormatByName(format)))
    return randomMix(format, std::move(shape), seed);
  size_t count = elementCount(shape);
  if (!kScalePlaces.contains(format))
    return encodeWeight(format, std::move(shape), normals(count, seed, scale));
  Random random(seed);
  return blocksOf(format, std::move(shape), [&](std::span<std::byte> block) {
    for (std::byte &byte : block)
      byte = static_cast<std::byte>(random.next());
    setScales(
        format, block, [&] { return static_cast<float>(scale / 64 * random.uniform(0.5, 1.5)); },
        [&] { return format == "mxfp4" ? 120 + random.below(12) : 40 + random.below(40); });
  });
}

std::vector<float> inputFor(const Weight &weight, int tokens, uint64_t seed) {
  double squares = 0;
  for (float value : weight.values)
    squares += static_cast<double>(value) * value;
  const double columns = static_cast<double>(weight.columns());
  return normals(tokens * weight.columns(), seed, std::sqrt(static_cast<double>(weight.values.size()) / (squares * columns)));
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
