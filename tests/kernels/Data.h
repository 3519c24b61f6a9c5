// Operands of kernel tests: random values that are the same on every machine, in the encodings that kernels read and in
// the double precision that the reference takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "ir/reference/Tensor.h"

namespace ds4::test {

// A splitmix64 sequence; normal() is the sum of twelve uniform numbers less six.
class Random {
public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next();
  double uniform(double from = 0, double to = 1);
  double normal();
  int below(int limit) { return static_cast<int>(next() % static_cast<uint64_t>(limit)); }

private:
  uint64_t state_;
};

std::vector<float> normals(size_t count, uint64_t seed, double scale = 1);
std::vector<float> uniforms(size_t count, uint64_t seed, double from, double to);
std::vector<int> randomIds(size_t count, uint64_t seed, int limit); // below `limit`

// A weight as it stands in a file, and its exact values.
struct WeightData {
  reference::Shape shape;
  std::vector<std::byte> bytes;
  std::vector<float> values;
  reference::Weight weight() const { return {shape, values}; }
};
WeightData encodeWeight(const std::string &format, reference::Shape shape, std::vector<float> values);
// Blocks whose bytes `fill` writes.
WeightData blocksOf(const std::string &format, reference::Shape shape, const std::function<void(std::span<std::byte>)> &fill);
// Writes the scales of a block, half-precision numbers or bytes.
void setScales(const std::string &format, std::span<std::byte> block, const std::function<float()> &half,
               const std::function<int()> &byte);
WeightData randomWeight(const std::string &format, reference::Shape shape, uint64_t seed, double scale = 1);
// Activations of `tokens` tokens whose products with the weight's rows are of order 1.
std::vector<float> inputFor(const reference::Weight &weight, int tokens, uint64_t seed);

reference::Element elementOf(const std::string &format);
// A state with random rows.
reference::State randomState(int64_t rows, int64_t columns, const std::string &element, uint64_t seed, double scale = 1);
std::vector<std::byte> bytesOf(const reference::State &state);
reference::State stateOf(const std::vector<std::byte> &bytes, int64_t rows, int64_t columns, const std::string &element);

reference::Tensor tensor(reference::Shape shape, const std::vector<float> &values);
reference::Tensor tensor(reference::Shape shape, const std::vector<int> &values);

} // namespace ds4::test
