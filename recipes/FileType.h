// general.file_type: a number that tells, in llama.cpp and its ROCmFPX fork, which format most weights of a file have.
// Readers go by the tensors; the number is for listings.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "models/formats/Format.h"

namespace ds4 {

// The number for the format with the most weights among the matrices; nothing when that format has none.
std::optional<uint32_t> fileTypeOf(const std::map<const Format *, uint64_t> &weightsOfFormat);

} // namespace ds4
