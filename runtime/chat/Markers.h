// The texts that structure a DeepSeek-V4 prompt. Each is one added token of the full vocabulary; a small vocabulary may lack
// some, which are then ordinary text.
#pragma once

#include <array>
#include <string_view>

namespace ds4::chat {

inline constexpr std::string_view kBos = "<｜begin▁of▁sentence｜>", kEos = "<｜end▁of▁sentence｜>";
inline constexpr std::string_view kUser = "<｜User｜>", kAssistant = "<｜Assistant｜>", kLatestReminder = "<｜latest_reminder｜>";
inline constexpr std::string_view kThinkBegin = "<think>", kThinkEnd = "</think>";
inline constexpr std::string_view kDsml = "｜DSML｜"; // opens the name of a tag: <｜DSML｜invoke name="f">

// What a user turn may ask for instead of an answer; `action` comes after the assistant's header, the others replace it.
inline constexpr std::array<std::string_view, 6> kTasks{"action", "query", "authority", "domain", "title", "read_url"};

} // namespace ds4::chat
