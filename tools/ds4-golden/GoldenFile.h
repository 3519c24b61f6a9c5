// What the readers of expected values share.
#pragma once

#include <functional>
#include <string>

#include <nlohmann/json.hpp>

namespace ds4::golden {

// Parses the file and hands it to `read`; a parse error, a missing key or a wrong type becomes ds4::Error (User).
void readGoldenJson(const std::string &path, const std::function<void(const nlohmann::json &)> &read);

// The arrays of "x.json" are in "x.safetensors".
std::string arraysBeside(const std::string &jsonPath);

} // namespace ds4::golden
