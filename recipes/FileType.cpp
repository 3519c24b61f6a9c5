#include "recipes/FileType.h"

#include <algorithm>

namespace ds4 {

static std::optional<uint32_t> fileTypeOf(WeightFormat format) {
  switch (format) {
  case WeightFormat::F32:
    return 0;
  case WeightFormat::F16:
    return 1;
  case WeightFormat::Q4_0:
    return 2;
  case WeightFormat::Q8_0:
    return 7;
  case WeightFormat::Q2_K:
    return 10;
  case WeightFormat::Q3_K:
    return 12;
  case WeightFormat::Q4_K:
    return 15;
  case WeightFormat::Q5_K:
    return 17;
  case WeightFormat::Q6_K:
    return 18;
  case WeightFormat::IQ2_XXS:
    return 19;
  case WeightFormat::IQ3_XXS:
    return 23;
  case WeightFormat::IQ4_XS:
    return 30;
  case WeightFormat::BF16:
    return 32;
  case WeightFormat::MXFP4:
    return 38;
  case WeightFormat::RocmFp4:
    return 100;
  case WeightFormat::RocmFp4Fast:
    return 103;
  case WeightFormat::RocmFp6:
    return 110;
  case WeightFormat::RocmFp8:
    return 111;
  case WeightFormat::RocmFp3:
    return 112;
  case WeightFormat::RocmFp2:
    return 118;
  case WeightFormat::I32:
  case WeightFormat::RocmFp3Mix:
  case WeightFormat::RocmFp2Mix:
  case WeightFormat::RocmFp2Affine:
  case WeightFormat::RocmFp2S40:
    break;
  }
  return std::nullopt;
}

std::optional<uint32_t> fileTypeOf(const std::map<const Format *, uint64_t> &weightsOfFormat) {
  const auto most = std::ranges::max_element(weightsOfFormat, [](const auto &a, const auto &b) {
    return a.second != b.second ? a.second < b.second : a.first->id > b.first->id; // not by address: the same on every run
  });
  return most == weightsOfFormat.end() ? std::nullopt : fileTypeOf(most->first->id);
}

} // namespace ds4
