#include "support/Synthetic.h"

#include "support/Half.h"

namespace ds4 {

static uint64_t fnv1a64(std::string_view bytes) {
  uint64_t hash = 0xCBF29CE484222325;
  for (unsigned char byte : bytes)
    hash = (hash ^ byte) * 0x100000001B3;
  return hash;
}

static uint64_t splitmix64Finaliser(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

std::vector<float> syntheticTensor(std::string_view name, uint64_t first, uint64_t count, const SyntheticRange &range,
                                   uint64_t seed) {
  constexpr uint64_t kGoldenGamma = 0x9E3779B97F4A7C15;
  uint64_t counter = (fnv1a64(name) ^ (seed * 0xD1342543DE82EF95)) + first * kGoldenGamma;
  std::vector<float> values(count);
  for (float &value : values) {
    counter += kGoldenGamma;
    double u = static_cast<double>(splitmix64Finaliser(counter) >> 40) * 0x1p-24;
    value = static_cast<float>(range.base + range.amplitude * (2 * u - 1));
    if (range.half)
      value = halfToFloat(floatToHalf(value));
  }
  return values;
}

} // namespace ds4
