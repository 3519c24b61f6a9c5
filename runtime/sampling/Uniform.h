// Random numbers that depend on the seed and the token's position alone: a counter-based generator (Philox4x32-10,
// Salmon et al. 2011). There is no state to carry, so the same seed gives the same tokens whatever the verify width, and
// a rejected draft costs no number.
#pragma once

#include <array>
#include <cstdint>

namespace ds4 {

std::array<uint32_t, 4> philox4x32(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key);

// Uniform in [0, 1), a multiple of 2^-24: the number for the token that follows `position`. Goes into the step block.
float uniformAt(uint64_t seed, uint64_t position);

} // namespace ds4
