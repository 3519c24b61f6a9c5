// MIX weights of kernel tests: as device memory has them, with the slices' levels behind the blocks (kernels/formats/mix_levels.h).
#pragma once

#include <vector>

#include "models/formats/MixCodebooks.h"
#include "tests/kernels/Data.h"

namespace ds4::test {

// Puts the levels of `slices` behind the blocks of the weight, and decodes it by them. All slices have as many rows.
void appendLevels(WeightData &weight, const std::string &format, const std::vector<MixSlice> &slices);

// Random blocks of random levels; every third slice is fixed. Weights of three dimensions have shape[0] slices, others one.
WeightData randomMix(const std::string &format, reference::Shape shape, uint64_t seed);

} // namespace ds4::test
