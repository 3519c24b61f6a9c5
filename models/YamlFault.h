// What a YAML file that cannot be read is refused with.
#pragma once

#include <string_view>

namespace YAML {
class Exception;
}

namespace ds4 {

// Throws ds4::Error (User): file, line, and what is wrong there.
[[noreturn]] void refuseYaml(std::string_view source, const YAML::Exception &error);

} // namespace ds4
