#include "runtime/tokenizer/ByteAlphabet.h"

#include <array>

#include "runtime/tokenizer/Utf8.h"

namespace ds4 {

namespace {

bool standsForItself(int byte) { return (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte != 0xad); }

constexpr char32_t kEnd = 0x144; // one past the last character of the alphabet

struct Alphabet {
  std::array<std::string, 256> ofByte;
  std::array<int, kEnd> byteOf; // -1: a code point outside the alphabet

  Alphabet() {
    byteOf.fill(-1);
    char32_t next = 0x100;
    for (int byte = 0; byte < 256; ++byte) {
      const char32_t codePoint = standsForItself(byte) ? static_cast<char32_t>(byte) : next++;
      appendUtf8(ofByte[byte], codePoint);
      byteOf[codePoint] = byte;
    }
  }
};

const Alphabet &alphabet() {
  static const Alphabet instance;
  return instance;
}

// The code point of a character of one or two bytes; kEnd, which is in no alphabet, for longer ones and stray bytes.
char32_t shortCodePoint(std::string_view character) {
  const auto lead = static_cast<uint8_t>(character[0]);
  if (character.size() == 1)
    return lead < 0x80 ? lead : kEnd;
  return character.size() == 2 && lead < 0xe0 ? (lead & 0x1fu) << 6 | (static_cast<uint8_t>(character[1]) & 0x3fu) : kEnd;
}

} // namespace

std::string byteToAlphabet(uint8_t byte) { return alphabet().ofByte[byte]; }

std::string alphabetToBytes(std::string_view entry) {
  const auto &byteOf = alphabet().byteOf;
  std::string bytes;
  bytes.reserve(entry.size());
  while (!entry.empty()) {
    const std::string_view character = entry.substr(0, firstUtf8(entry).length);
    const char32_t codePoint = shortCodePoint(character);
    if (codePoint < kEnd && byteOf[codePoint] >= 0)
      bytes += static_cast<char>(byteOf[codePoint]);
    else
      bytes += character;
    entry.remove_prefix(character.size());
  }
  return bytes;
}

} // namespace ds4
