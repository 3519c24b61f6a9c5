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

std::span<const Format *const> formats() {
  static constexpr std::array all{&kF32, &kF16, &kBF16, &kI32, &kQ8_0};
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
