#include "models/formats/Format.h"

#include <array>

#include "models/formats/Blocks.h"
#include "support/Error.h"

namespace ds4 {

void Format::decode(std::span<const std::byte> blocks, std::span<float> out) const {
  const size_t count = blocks.size() / blockBytes;
  if (blocks.size() % blockBytes || out.size() != count * blockWeights)
    internalError("{}: {} bytes do not hold {} weights", name, blocks.size(), out.size());
  decodeBlocks(blocks.data(), count, out.data());
}

void Format::encode(std::span<const float> row, std::span<const float> importance, std::span<std::byte> out) const {
  if (!encodeRow || !holdsRow(row.size()) || out.size() != rowBytes(row.size()) ||
      !(importance.empty() || importance.size() == row.size()))
    internalError("{}: cannot encode {} weights with {} importances into {} bytes", name, row.size(), importance.size(),
                  out.size());
  encodeRow(row, importance, out.data());
}

std::optional<size_t> Format::findInvalidBlock(std::span<const std::byte> blocks) const {
  const size_t count = blocks.size() / blockBytes, first = firstInvalid ? firstInvalid(blocks.data(), count) : count;
  return first < count ? std::optional(first) : std::nullopt;
}

std::span<const Format *const> formats() {
  static constexpr std::array all{
      &kF32,     &kF16,     &kBF16,       &kI32,        &kQ8_0,    &kQ4_0,          &kQ2_K,       &kQ3_K,        &kQ4_K,
      &kQ5_K,    &kQ6_K,    &kIQ2_XXS,    &kIQ3_XXS,    &kIQ4_XS,  &kMXFP4,         &kRocmFp4,    &kRocmFp4Fast, &kRocmFp6,
      &kRocmFp8, &kRocmFp3, &kRocmFp3Mix, &kRocmFp2Mix, &kRocmFp2, &kRocmFp2Affine, &kRocmFp2S40,
  };
  return all;
}

const Format &formatOf(WeightFormat id) { return *formats()[static_cast<size_t>(id)]; }

const Format *findFormatByGgmlType(uint32_t ggmlType) {
  for (const Format *format : formats())
    if (format->ggmlType == ggmlType)
      return format;
  return nullptr;
}

const Format *findFormatByName(std::string_view name) {
  for (const Format *format : formats())
    if (format->name == name)
      return format;
  return nullptr;
}

std::string supportedFormatNames() {
  std::string names;
  for (const Format *format : formats())
    names.append(names.empty() ? "" : ", ").append(format->name);
  return names;
}

} // namespace ds4
