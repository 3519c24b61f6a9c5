#include "models/gguf/Types.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "support/Printable.h"

namespace ds4::gguf {

std::string_view valueTypeName(ValueType type) {
  static constexpr std::array<std::string_view, 13> names{"u8",   "i8",     "u16",   "i16", "u32", "i32", "f32",
                                                          "bool", "string", "array", "u64", "i64", "f64"};
  return names[static_cast<size_t>(type)];
}

std::string unreadTypeName(uint32_t ggmlType) {
  static constexpr std::pair<uint32_t, std::string_view> names[] = {
      {3, "q4_1"},    {6, "q5_0"},   {7, "q5_1"},   {9, "q8_1"},   {15, "q8_k"}, {17, "iq2_xs"}, {19, "iq1_s"},
      {20, "iq4_nl"}, {21, "iq3_s"}, {22, "iq2_s"}, {24, "i8"},    {25, "i16"},  {27, "i64"},    {28, "f64"},
      {29, "iq1_m"},  {34, "tq1_0"}, {35, "tq2_0"}, {40, "nvfp4"}, {41, "q1_0"},
  };
  const auto *known = std::ranges::find(names, ggmlType, &std::pair<uint32_t, std::string_view>::first);
  return known == std::end(names) ? fmt::format("type {}", ggmlType) : fmt::format("{} ({})", known->second, ggmlType);
}

bool isUtf8(std::string_view text) {
  while (!text.empty()) {
    const size_t length = utf8Length(text);
    if (!length)
      return false;
    text.remove_prefix(length);
  }
  return true;
}

} // namespace ds4::gguf
