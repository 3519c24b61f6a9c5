// Tensor type 107 means three things in published files, and nothing in a file tells them apart: rocmfp2 (the usual one),
// rocmfp2_affine and rocmfp2_s40 (models/formats/RocmFp2.cpp). A reader is told which; otherwise it takes the usual one, and
// what was assumed is said.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "models/gguf/Reader.h"

namespace ds4 {

struct TypeMeaning {
  std::string_view name; // on command lines
  WeightFormat format;
  std::string_view rule; // of a weight
};

inline constexpr TypeMeaning kTypeMeanings[] = {
    {"default", WeightFormat::RocmFp2, "scale * level, levels -1, 0, 1, 2"},
    {"affine", WeightFormat::RocmFp2Affine, "scale * code - offset"},
    {"s40", WeightFormat::RocmFp2S40, "scale * level, levels -4, -1, 1, 4"},
};

constexpr bool hasSeveralMeanings(WeightFormat format) {
  return format == WeightFormat::RocmFp2 || format == WeightFormat::RocmFp2Affine || format == WeightFormat::RocmFp2S40;
}

// "3 tensors of type 107 are read as rocmfp2 (scale * level, levels -1, 0, 1, 2)"; empty when the file has none.
std::string describeTypeMeaning(const gguf::Reader &file);
// The same as a warning that names the file and how to choose; empty too when the user has `chosen`.
std::string warnOfTypeMeaning(const gguf::Reader &file, const std::optional<WeightFormat> &chosen);

} // namespace ds4
