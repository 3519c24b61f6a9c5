#include "models/gguf/Types.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

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

namespace {

// The bytes of the UTF-8 character that starts `text`; 0 when it is malformed, overlong, a surrogate or above U+10FFFF.
size_t utf8Length(std::string_view text) {
  auto byte = [&](size_t i) { return i < text.size() ? static_cast<uint8_t>(text[i]) : 0u; };
  auto continues = [&](size_t i) { return (byte(i) & 0xC0) == 0x80; };
  const uint32_t lead = byte(0);
  if (lead < 0x80)
    return 1;
  if (lead >= 0xC2 && lead <= 0xDF)
    return continues(1) ? 2 : 0;
  if ((lead & 0xF0) == 0xE0) {
    const bool overlong = lead == 0xE0 && byte(1) < 0xA0, surrogate = lead == 0xED && byte(1) > 0x9F;
    return continues(1) && continues(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const bool overlong = lead == 0xF0 && byte(1) < 0x90, tooLarge = lead == 0xF4 && byte(1) > 0x8F;
    return continues(1) && continues(2) && continues(3) && !overlong && !tooLarge ? 4 : 0;
  }
  return 0;
}

} // namespace

bool isUtf8(std::string_view text) {
  while (!text.empty()) {
    const size_t length = utf8Length(text);
    if (!length)
      return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string quoteName(std::string_view text) {
  constexpr size_t kShown = 80;
  std::string out = "'";
  while (!text.empty() && out.size() <= kShown) {
    const size_t length = utf8Length(text);
    const auto lead = static_cast<uint8_t>(text[0]);
    if (!length || lead < 0x20 || lead == 0x7F)
      out += fmt::format("\\x{:02x}", lead);
    else
      out += text.substr(0, length);
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return out + (text.empty() ? "'" : "...'");
}

} // namespace ds4::gguf
