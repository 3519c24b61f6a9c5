// The byte alphabet of GPT-2: every byte as one printable character, so that a vocabulary can be text.
//
// Bytes that print (0x21..0x7e, 0xa1..0xac, 0xae..0xff) stand for themselves as code points; the 68 others take
// U+0100 upwards in order, so that a space is "Ġ" (U+0120) and a line feed "Ċ".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ds4 {

// The character of a byte, as UTF-8.
std::string byteToAlphabet(uint8_t byte);

// The bytes that a vocabulary entry stands for. A character outside the alphabet stands for its own UTF-8 bytes.
std::string alphabetToBytes(std::string_view entry);

} // namespace ds4
