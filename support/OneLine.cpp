#include "support/OneLine.h"

#include <algorithm>

#include "support/Printable.h"

namespace ds4 {

namespace {

// What is longer no person reads, and a quoted text may have megabytes. The end says how to mend it.
std::string shortened(std::string text) {
  constexpr size_t kMost = 4000, kEnd = 1000;
  constexpr std::string_view kGap = " ... ";
  const auto continues = [&](size_t at) { return (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80; };
  if (text.size() <= kMost)
    return text;
  size_t begin = kMost - kEnd - kGap.size(), end = text.size() - kEnd;
  while (continues(begin))
    --begin;
  while (end < text.size() && continues(end))
    ++end;
  return text.replace(begin, end - begin, kGap);
}

std::string printable(std::string_view line) {
  std::string result;
  while (!line.empty())
    if (line[0] == '\t' || line[0] == '\r') {
      result += ' ';
      line.remove_prefix(1);
    } else {
      result += takePrintable(line);
    }
  return result;
}

} // namespace

std::string oneLine(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.find_first_not_of(" \t\r") != line.npos)
      result += (result.empty() ? "" : "; ") + printable(line);
  }
  return shortened(std::move(result));
}

} // namespace ds4
