#include "runtime/chat/Conversation.h"

#include <nlohmann/json.hpp>

namespace ds4::chat {

namespace {

using Json = nlohmann::ordered_json;

void appendSpaced(std::string &text, const Json &value) {
  const bool object = value.is_object();
  if (!object && !value.is_array()) {
    text += value.dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
    return;
  }
  text += object ? '{' : '[';
  bool first = true;
  for (const auto &[key, item] : value.items()) {
    if (!std::exchange(first, false))
      text += ", ";
    if (object)
      text += Json(key).dump(-1, ' ', false, Json::error_handler_t::replace) + ": ";
    appendSpaced(text, item);
  }
  text += object ? '}' : ']';
}

} // namespace

bool awaitsAnswer(const Conversation &conversation) {
  return !conversation.empty() && (conversation.back().role != Role::Assistant || conversation.back().open);
}

std::string spacedJson(std::string_view json) {
  std::string text;
  appendSpaced(text, Json::parse(json));
  return text;
}

} // namespace ds4::chat
