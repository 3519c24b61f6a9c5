#include "runtime/tokenizer/ByteAlphabet.h"

#include <array>
#include <unordered_map>

#include "runtime/tokenizer/Utf8.h"

namespace ds4 {

namespace {

bool standsForItself(int byte) { return (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte != 0xad); }

struct Alphabet {
  std::array<std::string, 256> ofByte;
  std::unordered_map<std::string_view, char> byteOf;

  Alphabet() {
    char32_t next = 0x100;
    for (int byte = 0; byte < 256; ++byte)
      appendUtf8(ofByte[byte], standsForItself(byte) ? static_cast<char32_t>(byte) : next++);
    for (int byte = 0; byte < 256; ++byte)
      byteOf.emplace(ofByte[byte], static_cast<char>(byte));
  }
};

const Alphabet &alphabet() {
  static const Alphabet instance;
  return instance;
}

} // namespace

std::string byteToAlphabet(uint8_t byte) { return alphabet().ofByte[byte]; }

std::string alphabetToBytes(std::string_view entry) {
  const auto &byteOf = alphabet().byteOf;
  std::string bytes;
  while (!entry.empty()) {
    const std::string_view character = entry.substr(0, firstUtf8(entry).length);
    if (auto found = byteOf.find(character); found != byteOf.end())
      bytes += found->second;
    else
      bytes += character;
    entry.remove_prefix(character.size());
  }
  return bytes;
}

} // namespace ds4
