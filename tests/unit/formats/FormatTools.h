// Helpers of the format tests: bytes from hex text, decoding by name, reproducible random numbers.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/formats/Format.h"

namespace ds4 {

inline std::vector<std::byte> bytesFromHex(std::string_view hex) {
  std::vector<std::byte> bytes;
  std::string digits;
  for (char c : hex)
    if (c != ' ')
      digits += c;
  for (size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes.push_back(static_cast<std::byte>(std::stoi(digits.substr(i, 2), nullptr, 16)));
  return bytes;
}

inline std::string hexOf(std::span<const std::byte> bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (std::byte byte : bytes) {
    hex += kDigits[std::to_integer<int>(byte) >> 4];
    hex += kDigits[std::to_integer<int>(byte) & 15];
  }
  return hex;
}

inline std::vector<float> decodeAll(const Format &format, std::span<const std::byte> blocks) {
  std::vector<float> weights(blocks.size() / format.blockBytes * format.blockWeights);
  format.decode(blocks, weights);
  return weights;
}

inline std::vector<std::byte> encodeAll(const Format &format, std::span<const float> row, std::span<const float> importance = {}) {
  std::vector<std::byte> blocks(format.rowBytes(row.size()));
  format.encode(row, importance, blocks);
  return blocks;
}

// The same numbers from every standard library: a sum of twelve uniform ones is near enough to a Gaussian.
inline std::vector<float> gaussian(size_t count, uint32_t seed, float deviation = 1.0f) {
  std::mt19937 generator(seed);
  std::vector<float> values(count);
  for (float &value : values) {
    double sum = -6.0;
    for (int i = 0; i < 12; ++i)
      sum += generator() * 0x1p-32;
    value = static_cast<float>(sum) * deviation;
  }
  return values;
}

inline double squaredError(std::span<const float> a, std::span<const float> b) {
  double sum = 0.0;
  for (size_t i = 0; i < a.size(); ++i)
    sum += (static_cast<double>(a[i]) - b[i]) * (static_cast<double>(a[i]) - b[i]);
  return sum;
}

} // namespace ds4
