#include "runtime/chat/ShallowJson.h"

namespace ds4::chat {

std::optional<nlohmann::ordered_json> parseShallow(std::string_view text, int levels) {
  using Json = nlohmann::ordered_json;
  bool deep = false;
  const auto keep = [&](int depth, Json::parse_event_t event, Json &) {
    deep |= depth >= levels && (event == Json::parse_event_t::object_start || event == Json::parse_event_t::array_start);
    return !deep;
  };
  Json json = Json::parse(text, keep, /*allow_exceptions=*/false);
  return deep ? std::nullopt : std::optional(std::move(json));
}

} // namespace ds4::chat
