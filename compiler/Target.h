// The architectures that a plan may be compiled for.
#pragma once

#include <string>
#include <string_view>

namespace ds4 {

inline constexpr std::string_view kDefaultTarget = "gfx1151";

// "sm_90" and its kin: NVRTC compiles for them, where the plan is loaded.
bool isNvidia(std::string_view architecture);

// Throws ds4::Error (User), which names all targets, for any other.
void checkTarget(std::string_view architecture);
std::string supportedTargets();

} // namespace ds4
