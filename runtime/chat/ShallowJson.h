// JSON from outside, read only as deep as it can be written: nlohmann's copies and writer recurse, and its reader does not.
#pragma once

#include <optional>
#include <string_view>

#include <nlohmann/json.hpp>

#include "runtime/chat/Conversation.h"

namespace ds4::chat {

// Discarded (is_discarded()) when the text is no JSON; nothing when lists and objects lie in each other deeper than `levels`.
std::optional<nlohmann::ordered_json> parseShallow(std::string_view text, int levels = kMostLevels);

} // namespace ds4::chat
