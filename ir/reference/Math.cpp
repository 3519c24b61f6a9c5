#include "ir/reference/Math.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "support/Error.h"

namespace ds4::reference {

void require(bool holds, const char *what) {
  if (!holds)
    internalError("reference: {}", what);
}

// Eight sums in turn let the compiler use vector registers without reassociating on its own.
template <typename T> static double dotOf(std::span<const double> x, std::span<const T> w) {
  constexpr size_t kSums = 8;
  std::array<double, kSums> sums{};
  size_t i = 0;
  for (; i + kSums <= x.size(); i += kSums)
    for (size_t lane = 0; lane < kSums; ++lane)
      sums[lane] += x[i + lane] * w[i + lane];
  double sum = 0;
  for (; i < x.size(); ++i)
    sum += x[i] * w[i];
  for (double partial : sums)
    sum += partial;
  return sum;
}

double dot(std::span<const double> x, std::span<const float> w) { return dotOf(x, w); }
double dot(std::span<const double> x, std::span<const double> y) { return dotOf(x, y); }

double inverseRms(std::span<const double> x, double eps) { return 1 / std::sqrt(dot(x, x) / static_cast<double>(x.size()) + eps); }

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

std::vector<int64_t> descendingOrder(std::span<const double> keys) {
  std::vector<std::pair<double, int64_t>> ranked;
  for (double key : keys)
    ranked.emplace_back(std::isnan(key) ? std::numeric_limits<double>::infinity() : -key, ranked.size());
  std::ranges::sort(ranked);
  std::vector<int64_t> order;
  for (auto [key, index] : ranked)
    order.push_back(index);
  return order;
}

void rotate(std::span<double> row, double position, std::span<const float> frequencies, bool inverse) {
  std::span<double> channels = row.last(2 * frequencies.size());
  for (size_t i = 0; i < frequencies.size(); ++i) {
    float angle = static_cast<float>(position) * frequencies[i];
    double cosine = std::cos(static_cast<double>(angle));
    double sine = std::sin(static_cast<double>(inverse ? -angle : angle));
    double a = channels[2 * i], b = channels[2 * i + 1];
    channels[2 * i] = a * cosine - b * sine;
    channels[2 * i + 1] = a * sine + b * cosine;
  }
}

double roundToBinary(double value, int mantissaBits, int minExponent) {
  if (value == 0 || !std::isfinite(value))
    return value;
  int quantum = std::max(std::ilogb(value), minExponent) - mantissaBits;
  return std::ldexp(std::nearbyint(std::ldexp(value, -quantum)), quantum);
}

} // namespace ds4::reference
