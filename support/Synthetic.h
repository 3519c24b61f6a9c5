// Tensors that are generated instead of shipped: value i of a named tensor is a hash of the name and i.
//
//     value = float32(base + amplitude * (2u - 1)), u uniform in [0, 1) with 24 bits, computed in f64
//     u = (z >> 40) / 2^24, z = splitmix64 of h + (i + 1) * golden gamma, h = fnv1a64(name) ^ seed * 0xD1342543DE82EF95
//
// So a file of expected results suffices to test layers of real size, and anyone can generate the same weights.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace ds4 {

struct SyntheticRange {
  double amplitude = 1;
  double base = 0;
  bool half = false; // rounded to half precision after generation, as a tensor stored as f16
};

// Values first..first + count - 1 of the tensor in row-major order.
std::vector<float> syntheticTensor(std::string_view name, uint64_t first, uint64_t count, const SyntheticRange &range,
                                   uint64_t seed = 1);

} // namespace ds4
