#include "support/OneLine.h"

namespace ds4 {

std::string oneLine(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.find_first_not_of(" \t\r") == line.npos)
      continue;
    if (!result.empty())
      result += "; ";
    for (unsigned char c : line)
      result += c < 0x20 || c == 0x7f ? ' ' : static_cast<char>(c);
  }
  return result;
}

} // namespace ds4
