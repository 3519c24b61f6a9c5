// Codebooks for generated MIX tensors, and the tables that a model file keeps them in.
#pragma once

#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "models/MixTables.h"

namespace ds4 {

struct SyntheticMixTensor {
  MixPlace place;
  MixEntry entry;
};

// `slices` codebooks for the tensor: the fixed levels, each moved by up to a quarter, in three slices of four; the fourth is
// not adaptive. `rows` and `cols` are those of one slice. The tables decode to exactly these numbers.
SyntheticMixTensor makeSyntheticMix(MixPlace place, std::string_view canonicalName, const Format &format, uint32_t slices,
                                    uint32_t rows, uint32_t cols, uint64_t seed);

// The tables that hold all of these, by metadata key; MixCodebooks::add reads them back.
std::vector<std::pair<std::string_view, std::vector<uint8_t>>> writeMixTables(std::span<const SyntheticMixTensor> tensors);

} // namespace ds4
