#include "support/Printable.h"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

namespace ds4 {

namespace {

// C0, DEL and C1, of which U+009B begins commands to a terminal as ESC [ does.
bool isControl(std::string_view character) {
  const auto first = static_cast<uint8_t>(character[0]);
  return first < 0x20 || first == 0x7F || (first == 0xC2 && static_cast<uint8_t>(character[1]) < 0xA0);
}

} // namespace

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

std::string takePrintable(std::string_view &text) {
  const size_t length = utf8Length(text);
  const std::string_view character = text.substr(0, std::max<size_t>(length, 1));
  text.remove_prefix(character.size());
  if (length && !isControl(character))
    return std::string(character);
  std::string escaped;
  for (const char byte : character)
    escaped += fmt::format("\\x{:02x}", static_cast<uint8_t>(byte));
  return escaped;
}

std::string quoteName(std::string_view text) {
  constexpr size_t kShown = 80;
  std::string out = "'";
  while (!text.empty() && out.size() <= kShown)
    out += takePrintable(text);
  return out + (text.empty() ? "'" : "...'");
}

} // namespace ds4
