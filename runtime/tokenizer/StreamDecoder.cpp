#include "runtime/tokenizer/StreamDecoder.h"

#include <utility>

#include "runtime/tokenizer/Utf8.h"

namespace ds4 {

std::string StreamDecoder::push(int32_t id) {
  std::string text;
  if (tokenizer_.isControl(id))
    text = finish();
  held_ += tokenizer_.decode(id, control_);
  std::string_view rest = held_;
  while (!rest.empty()) {
    const Utf8Prefix prefix = firstUtf8(rest);
    if (prefix.kind == Utf8Kind::Incomplete)
      break;
    text += prefix.kind == Utf8Kind::Complete ? rest.substr(0, prefix.length) : kReplacementCharacter;
    rest.remove_prefix(prefix.length);
  }
  held_.erase(0, held_.size() - rest.size());
  return text;
}

std::string StreamDecoder::finish() {
  return std::exchange(held_, {}).empty() ? std::string() : std::string(kReplacementCharacter);
}

} // namespace ds4
